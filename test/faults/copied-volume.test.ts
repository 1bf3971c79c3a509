import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";
import { refusedProgram, serveProgram } from "../support/service-program.ts";
import { shareWorkspaces } from "../support/share-workspaces.ts";

let original: TestService;
let folder: string;
beforeAll(async () => {
  original = await startService({ env: { SERVICE_LEASE_SEC: "3" } });
  folder = await mkdtemp(join(tmpdir(), "copied-"));
});
afterAll(async () => {
  await original?.stop();
  await rm(folder, { recursive: true, force: true });
});

const env = () => ({
  DATABASE_URL: original.databaseUrl,
  SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
  SERVICE_LOG_LEVEL: "error",
});
const filesOf = (dataDir: string) => readdir(join(dataDir, "workspaces", ".boardroom-services"));
/** As from a backup or an image of the machine, made a minute ago. */
const copied = async (name: string) => {
  const dataDir = join(folder, name);
  await mkdir(dataDir);
  for (const each of ["workspaces", "homes"])
    execFileSync("cp", ["-a", join(original.dataDir, each), join(dataDir, each)]);
  const then = Date.now() / 1000 - 60;
  for (const file of await filesOf(dataDir))
    await utimes(join(dataDir, "workspaces", ".boardroom-services", file), then, then);
  return dataDir;
};

describe("A service with workspaces that another live service has", () => {
  it("starts where both share the folder, and leaves no file behind", async () => {
    await eventually(
      () => filesOf(original.dataDir).catch((): string[] => []),
      (files) => files.length === 1,
    );
    const dataDir = await mkdtemp(join(folder, "sharing-"));
    await shareWorkspaces(dataDir, original.dataDir);
    const service = await serveProgram(dataDir, env());
    expect(
      await eventually(
        () => filesOf(original.dataDir),
        (files) => files.length === 2,
      ),
    ).toHaveLength(2);
    expect((await original.admin.volumes.list()).map(({ services }) => services.length)).toEqual([2]);
    expect(await service.stop()).toBe(0);
    expect(await filesOf(original.dataDir)).toHaveLength(1);
  });

  it("does not start on a copy of the folder, and says what to do", async () => {
    const { code, output } = await refusedProgram(await copied("copy"), env());
    expect(code).not.toBe(0);
    expect(output).toMatch(/are a copy of those that a service on .* delete \.boardroom-volume/s);
  });

  it("starts on a copy that has an id of its own", async () => {
    const dataDir = await copied("renamed");
    for (const each of ["workspaces", "homes"]) await rm(join(dataDir, each, ".boardroom-volume"));
    const service = await serveProgram(dataDir, env());
    expect(
      await eventually(
        () => original.admin.volumes.list(),
        (list) => list.length === 2,
      ),
    ).toHaveLength(2);
    expect(await service.stop()).toBe(0);
  });
});
