import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/external-adapter.ts";
import { refusedProgram, type ServiceProgram, serveProgram } from "../support/service-program.ts";

const folder = temporaryFolder();
chmodSync(folder, 0o755);
let service: ServiceProgram | null = null;
afterEach(async () => {
  await service?.stop();
  service = null;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Keeps a value in its environment, its home and its workspace until the other program has tried to read it. */
const keeper = (name: string) => ({
  ...nodeAgent(`
    import { writeFileSync } from "node:fs";
    for (const directory of [process.env.HOME, process.cwd()]) writeFileSync(directory + "/kept", "x", { mode: 0o644 });
    console.log("keeps");
    setInterval(() => {}, 1000);
  `),
  env: { KEPT: name },
});

/** Searches all processes and folders for values of others. */
const snoop = (dataDir: string) =>
  nodeAgent(`
    import { readFileSync, readdirSync } from "node:fs";
    import { join } from "node:path";
    const tried = (read) => { try { return read(); } catch { return null; } };
    const environments = readdirSync("/proc").map((pid) => tried(() => readFileSync("/proc/" + pid + "/environ", "utf8")) ?? "");
    const found = environments.flatMap((text) => text.split("\\0").filter((line) => line.startsWith("KEPT=")));
    const files = ["workspaces", "homes"].flatMap((directory) =>
      JSON.parse(process.env.PLACES).flatMap((id) => tried(() => readFileSync(join(${JSON.stringify(dataDir)}, directory, id, "kept"), "utf8")) ?? []));
    console.log(JSON.stringify({ uid: process.getuid(), found: [...new Set(found)].sort(), files: files.length }));
  `);

describe.skipIf(process.getuid?.() !== 0)("with a range of users for agents", () => {
  it("a company's agents cannot read processes, homes and workspaces of another", async () => {
    const dataDir = join(folder, "data");
    service = await serveProgram(dataDir, {
      SERVICE_AGENT_UID: "64100-64102",
    });
    const board = await service.board();
    const runOf = async (companyId: string, name: string, adapterConfig: object) => {
      const agent = await board.agents.create({
        companyId,
        name,
        adapterType: "process",
        adapterConfig: adapterConfig as Record<string, never>,
      });
      const { id } = await board.agents.invoke({ agentId: agent.id });
      return { agentId: agent.id, runId: id! };
    };
    const output = (runId: string, isThere: (text: string) => boolean) =>
      eventually(
        async () => (await board.runs.log({ runId })).content,
        (text) => isThere(text),
      );
    const [acme, globex, initech] = [
      await board.companies.create({ name: "Acme" }),
      await board.companies.create({ name: "Globex" }),
      await board.companies.create({ name: "Initech" }),
    ];
    const keeperRun = await runOf(acme.id, "Keeper", keeper("of-acme"));
    await output(keeperRun.runId, (text) => text.includes("keeps"));
    const snooping = async (companyId: string) => {
      const { runId } = await runOf(companyId, "Snoop", {
        ...snoop(dataDir),
        env: { PLACES: JSON.stringify([keeperRun.agentId, acme.id]) },
      });
      const log = await output(runId, (text) => text.includes("files"));
      return JSON.parse((JSON.parse(log.trim().split("\n").at(-1)!) as { chunk: string }).chunk);
    };
    // The positive control: a colleague finds the value.
    expect(await snooping(acme.id)).toEqual({ uid: 64_101, found: ["KEPT=of-acme"], files: 2 });
    expect(await snooping(globex.id)).toEqual({ uid: 64_102, found: [], files: 0 });

    const { runId } = await runOf(initech.id, "Late", { command: "true" });
    const refused = await eventually(
      () => board.runs.get({ runId }),
      ({ status }) => status === "failed",
    );
    expect(refused).toMatchObject({
      errorCode: "workspace_unusable",
      error: expect.stringMatching(/users for 2 companies, and this is company 3/),
    });
    expect(await board.system.health()).toMatchObject({ separation: { level: "partly" } });
  });

  it("includes no user of the database server", async () => {
    const dataDir = join(folder, "database-data");
    const env = { SERVICE_AGENT_UID: "64100-65534" };
    const { code, output } = await refusedProgram(dataDir, env);
    expect(code).toBe(1);
    expect(output).toMatch(
      /^boardroom cannot start: SERVICE_AGENT_UID must not hold 65534: the database server/,
    );
  });
});
