import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sayTimer } from "../../hosts/cli/endpoints/timer-note.ts";
import { startService, type TestService } from "../support/service.ts";
import { program } from "../support/service-program.ts";

const run = promisify(execFile);

let service: TestService;

beforeAll(async () => {
  service = await startService({ role: "api" });
});
afterAll(() => service?.stop());

describe("Before a timer is turned on", () => {
  it("a command prints on standard error how many runs a day that is, and nothing with --json", async () => {
    const { admin } = service;
    const { id: companyId } = await admin.companies.create({ name: "Harbour" });
    const { id } = await admin.agents.create({ companyId, name: "Ada", adapterType: "process" });
    const env = {
      PATH: process.env.PATH,
      HOME: service.dataDir,
      SERVICE_API_URL: service.url,
      SERVICE_API_KEY: service.token,
    };
    const update = async (heartbeat: object, ...more: string[]) => {
      const runtimeConfig = JSON.stringify({ heartbeat });
      const args = [program, "agents", "update", id, "--runtime-config", runtimeConfig, ...more];
      return (await run(process.execPath, args, { env })).stderr;
    };
    expect(await update({ intervalSec: 600 })).toBe("");
    expect(await update({ enabled: true })).toContain("144 runs a day");
    expect(await update({ intervalSec: 86_400 }, "--json")).toBe("");
    expect(await update({ wakeOnDemand: true })).toBe("");
    expect(await update({ enabled: false })).toBe("");
  });

  it("it prints the cost of the last runs, if known", () => {
    expect(sayTimer({ enabled: true, intervalSec: 600 }, [30, 40])).toBe(
      "Its timer makes 144 runs a day. The last 2 runs cost on average $0.35: $50.40 a day.",
    );
    expect(sayTimer({ enabled: true, intervalSec: 57_600, onlyWithWork: true }, [])).toBe(
      "Its timer makes up to 1.5 runs a day. The cost of a run is not known yet.",
    );
    expect(sayTimer({ enabled: true }, [30])).toBeNull();
  });
});
