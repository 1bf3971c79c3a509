import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { program, type ServiceProgram, serveProgram } from "../support/service-program.ts";

/** The program takes this machine for a Mac: what it says, not what it can do there. */
const onMac = {
  NODE_OPTIONS: `--import data:text/javascript,Object.defineProperty(process,%22platform%22,{value:%22darwin%22})`,
  SERVICE_SANDBOX: "",
};

describe("on macOS", () => {
  let folder: string;
  let database: TestDatabase;
  let service: ServiceProgram;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mac-"));
    database = await createDatabase();
    service = await serveProgram(join(folder, "data"), { ...onMac, DATABASE_URL: database.url });
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it("the start, health and doctor report that agents are not separated", async () => {
    expect(service.output()).toContain("agents are not separated from the service");
    expect(service.output()).toContain("Agents are separated on Linux only.");
    const board = await service.board();
    const { separation } = await board.system.health({});
    expect(separation?.level).toBe("not");
    const args = [program, "doctor", "--url", service.url, "--token", await service.token()];
    const printed = await new Promise<string>((resolve) => {
      const env = { ...process.env, ...onMac, SERVICE_DATA_DIR: service.dataDir, DATABASE_URL: database.url };
      execFile(process.execPath, args, { env }, (_, stdout) => resolve(stdout));
    });
    expect(printed).toContain("not separated from the service");
  });
});
