import { afterAll, beforeAll, expect, test } from "vitest";
import { checkService } from "../../hosts/cli/doctor/check-service.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ role: "api" });
});
afterAll(() => service?.stop());

test("the doctor warns where no backup is scheduled, and says how to begin", async () => {
  const { url: baseUrl, token } = service;
  const found = await checkService({ baseUrl, token, tokenFrom: "flag", runId: undefined });
  expect(found.filter(({ check }) => check === "backups")).toEqual([
    {
      level: "warn",
      check: "backups",
      message: "none yet, none is scheduled",
      hint: "Set SERVICE_BACKUP_TO to a folder or an S3 address to take one every day.",
    },
  ]);
});
