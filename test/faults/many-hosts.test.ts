import { existsSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { cannotSeparateHosts, type Host, type Hosts, openHosts } from "../support/hosts.ts";
import { startService, type TestService } from "../support/service.ts";

/** Shorter than usual, so that the test waits less. */
const settings = { SERVICE_LEASE_SEC: "6", SERVICE_HOST_TERM_SEC: "2" };

const why = cannotSeparateHosts();

/** The view of a run's program: where it ran, its earlier files, and the session that it was to resume. */
interface Call {
  readonly host: string;
  readonly runId: string;
  readonly files: readonly string[];
  readonly resumes: string | null;
  readonly signal?: string;
}

/** Stands in for a CLI with sessions: notes what it sees, leaves a file behind, and hangs if its prompt says so. */
const cli = (folder: string) => `#!${process.execPath}
import { appendFileSync, readdirSync, writeFileSync, existsSync } from "node:fs";
import { hostname } from "node:os";
const args = process.argv.slice(2);
const resumes = args.includes("--resume") ? args[args.indexOf("--resume") + 1] : null;
const runId = process.env.SERVICE_RUN_ID;
const note = (more) => appendFileSync(${JSON.stringify(join(folder, "calls"))}, JSON.stringify({ host: hostname(), runId, ...more }) + "\\n");
// Asked first: a test that reads the note may take it back at once.
const hangs = existsSync(${JSON.stringify(join(folder, "hang"))});
note({ files: readdirSync("."), resumes });
writeFileSync("file-" + readdirSync(".").length, hostname());
console.log(JSON.stringify({ type: "system", subtype: "init", session_id: "session-of-" + runId, model: "m" }));
const end = () => {
  console.log(JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "done", session_id: "session-of-" + runId }));
  process.exitCode = 0;
};
if (hangs) setInterval(() => {}, 1000);
else end();
`;

describe.skipIf(why !== null)("Several hosts with a database", () => {
  let api: TestService;
  let hosts: Hosts;
  let companyId: string;
  let serial = 0;
  const named = new Map<string, Host>();

  beforeAll(async () => {
    api = await startService({ role: "api" });
    hosts = await openHosts(api.databaseUrl);
    await writeFile(join(hosts.folder, "cli.mjs"), cli(hosts.folder), { mode: 0o755 });
    companyId = (await api.admin.companies.create({ name: "Spread" })).id;
    for (const name of ["harbour", "quarry"]) named.set(name, await hosts.add(name));
    await Promise.all([...named.values()].map((host) => host.start(settings)));
  });
  afterAll(async () => {
    await hosts?.close();
    await api?.stop();
  });

  const agentNamed = (name = `Agent ${++serial}`) =>
    api.admin.agents.create({
      companyId,
      name,
      adapterType: "adapter_a_local",
      adapterConfig: { command: join(hosts.folder, "cli.mjs"), graceSec: 0.3 },
    });
  const calls = (): readonly Call[] => {
    const path = join(hosts.folder, "calls");
    return existsSync(path)
      ? readFileSync(path, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Call)
      : [];
  };
  const invoke = async (agentId: string) => (await api.admin.agents.invoke({ agentId })).id!;
  const ended = (runId: string) =>
    eventually(
      () => api.admin.runs.get({ runId }),
      ({ status }) => !["queued", "running"].includes(status),
      { withinMs: 60_000 },
    );
  /** One whole run; returns what its program saw. */
  const worked = async (agentId: string): Promise<Call> => {
    const runId = await invoke(agentId);
    const { status, error } = await ended(runId);
    expect({ status, error }).toEqual({ status: "succeeded", error: null });
    const [call, ...more] = calls().filter((each) => each.runId === runId);
    expect(more).toEqual([]);
    return call!;
  };
  const hang = (isOn: boolean) =>
    isOn ? writeFile(join(hosts.folder, "hang"), "") : rm(join(hosts.folder, "hang"));

  const volumeOf = async (name: string) =>
    (await api.admin.volumes.list()).find(({ host }) => host === name)!;
  /** An agent that has worked on that host. */
  const agentOn = async (name: string) => {
    const agent = await agentNamed();
    await api.admin.agents.releaseWorkspace({ agentId: agent.id, to: (await volumeOf(name)).volume });
    expect(await worked(agent.id)).toMatchObject({ host: name, files: [], resumes: null });
    return agent;
  };
  const eventsOf = async (runId: string) => (await api.admin.runs.events({ runId })).items;

  it("are shown with the agents that work on them", async () => {
    const agent = await agentOn("harbour");
    const list = await api.admin.volumes.list();
    expect(list.map(({ host, reachable, services }) => [host, reachable, services.length])).toEqual([
      ["harbour", true, 1],
      ["quarry", true, 1],
    ]);
    expect(list[0]).toMatchObject({ agents: 1, runsRunning: 0, givenUpAt: null });
    const { workspace } = await api.admin.agents.get({ agentId: agent.id });
    expect(workspace).toMatchObject({
      host: "harbour",
      reachable: true,
      givenUpAt: null,
      volume: list[0]!.volume,
    });
  });

  it("keep each agent where its files and sessions are, over many runs", async () => {
    const agents = await Promise.all(["harbour", "quarry", "harbour", "quarry"].map(agentOn));
    for (const round of [1, 2, 3]) {
      const seen = await Promise.all(agents.map(({ id }) => worked(id)));
      expect(seen.map(({ host }) => host)).toEqual(["harbour", "quarry", "harbour", "quarry"]);
      expect(seen.map(({ files }) => files.length)).toEqual([round, round, round, round]);
      expect(seen.every(({ resumes }) => resumes !== null)).toBe(true);
    }
  });

  it("get the stop of a run that was cancelled through a service without it", async () => {
    const agent = await agentOn("quarry");
    await hang(true);
    const runId = await invoke(agent.id);
    await eventually(
      async () => calls().some((call) => call.runId === runId),
      (started) => started,
    );
    await hang(false);
    await expect(api.admin.agents.releaseWorkspace({ agentId: agent.id })).rejects.toMatchObject({
      code: "workspace_in_use",
    });
    await api.admin.runs.cancel({ runId });
    expect(await ended(runId)).toMatchObject({ status: "cancelled" });
    expect(await worked(agent.id)).toMatchObject({ host: "quarry", files: ["file-0", "file-1"] });
  });

  it("give an agent away at once when a person releases it, without its files and its session", async () => {
    const agent = await agentOn("harbour");
    const { volume } = await volumeOf("quarry");
    const moved = await api.admin.agents.releaseWorkspace({ agentId: agent.id, to: volume });
    expect(moved.workspace).toMatchObject({ host: "quarry" });
    expect(await worked(agent.id)).toMatchObject({ host: "quarry", files: [], resumes: null });
    const [logged] = (await api.admin.activity.list({ companyId })).items.filter(
      ({ action, entityId }) => action === "agent.workspace_released" && entityId === agent.id,
    );
    expect(logged).toMatchObject({ details: { host: "harbour", to: "quarry", sessions: 1 } });
    await expect(
      api.admin.agents.releaseWorkspace({ agentId: agent.id, to: agent.id }),
    ).rejects.toMatchObject({ code: "volume_unknown" });
  });

  it("lose an agent when they are gone for longer than lease and term, with a word, and get nothing back", async () => {
    const [agent, busy, idle] = [
      await agentOn("harbour"),
      await agentOn("harbour"),
      await agentOn("harbour"),
    ];
    await hang(true);
    const cut = await invoke(busy.id);
    await eventually(
      async () => calls().some((call) => call.runId === cut),
      (started) => started,
    );
    await hang(false);
    await named.get("harbour")!.crash();

    const runId = await invoke(agent.id);
    const waiting = await eventually(
      () => api.admin.runs.get({ runId }),
      ({ waitsFor }) => waitsFor !== null,
    );
    expect(waiting).toMatchObject({ status: "queued", startedAt: null });
    expect(waiting.whatNext).toMatch(/^Waiting for host harbour, .* \(last seen \d+ s ago\)\. At /);
    const { workspace } = await api.admin.agents.get({ agentId: agent.id });
    expect(workspace).toMatchObject({ host: "harbour", reachable: false });

    const run = await ended(runId);
    expect(run).toMatchObject({ status: "succeeded", sessionIdBefore: null });
    expect(run.startedAt! >= workspace!.givenUpAt!).toBe(true);
    expect(calls().filter((call) => call.runId === runId)).toMatchObject([
      { host: "quarry", files: [], resumes: null },
    ]);
    const [word] = await eventsOf(runId);
    expect(word).toMatchObject({ level: "warn", message: expect.stringContaining("without its session") });
    expect(await worked(agent.id)).toMatchObject({ host: "quarry", files: ["file-0"] });

    // The run that was cut off is retried there, too.
    expect(await ended(cut)).toMatchObject({ status: "interrupted", errorCode: "process_lost" });
    const [retry] = await eventually(
      async () => (await api.admin.runs.list({ companyId, agentId: busy.id })).items,
      ([last]) => last?.status === "succeeded",
      { withinMs: 60_000 },
    );
    expect(retry).toMatchObject({ wakeReason: "process_lost_retry", sessionIdBefore: null });
    expect(calls().filter((call) => call.runId === retry!.id)).toMatchObject([{ host: "quarry", files: [] }]);

    // It returns too late for these two, and in time for the one that nobody needed meanwhile.
    await named.get("harbour")!.start(settings);
    expect(await worked(agent.id)).toMatchObject({ host: "quarry" });
    expect(await worked(busy.id)).toMatchObject({ host: "quarry" });
    expect(await worked(idle.id)).toMatchObject({
      host: "harbour",
      files: ["file-0"],
      resumes: expect.any(String),
    });
  });

  it("keep their agents through a restart that is shorter than lease and term", async () => {
    // However long a machine takes for the restart.
    const patient = { ...settings, SERVICE_HOST_TERM_SEC: "300" };
    await named.get("quarry")!.crash();
    await named.get("quarry")!.start(patient);
    const agent = await agentOn("quarry");
    await named.get("quarry")!.crash();
    const runId = await invoke(agent.id);
    await named.get("quarry")!.start(patient);
    expect(await ended(runId)).toMatchObject({ status: "succeeded" });
    expect(calls().filter((call) => call.runId === runId)).toMatchObject([
      { host: "quarry", files: ["file-0"], resumes: expect.any(String) },
    ]);
  });

  it("run nothing twice when their network was away and returns", async () => {
    const agent = await agentOn("harbour");
    await hang(true);
    const runId = await invoke(agent.id);
    await eventually(
      async () => calls().some((call) => call.runId === runId),
      (started) => started,
    );
    await hang(false);
    named.get("harbour")!.connected(false);
    const [retry] = await eventually(
      async () => (await api.admin.runs.list({ companyId, agentId: agent.id })).items,
      ([last]) => last?.status === "succeeded" && last.id !== runId,
      { withinMs: 90_000 },
    );
    expect(calls().filter((call) => call.runId === retry!.id)).toMatchObject([
      { host: "quarry", resumes: null },
    ]);
    named.get("harbour")!.connected(true);
    await eventually(
      () => volumeOf("harbour"),
      ({ reachable }) => reachable,
      { withinMs: 90_000 },
    );
    expect(await api.admin.runs.get({ runId })).toMatchObject({ status: "interrupted" });
    expect(await worked(agent.id)).toMatchObject({ host: "quarry" });
    expect(calls().filter((call) => call.runId === runId)).toHaveLength(1);
  });

  it("that share a folder run its agents anywhere, with the same files and sessions", async () => {
    for (const host of named.values()) await host.crash();
    const shared = join(hosts.folder, "shared");
    const pair = [await hosts.add("north", shared), await hosts.add("south", shared)];
    for (const host of pair) await host.start(settings);
    const volume = await eventually(
      async () => (await api.admin.volumes.list()).find(({ services }) => services.length === 2),
      (found) => found !== undefined,
    );
    const agent = await agentNamed();
    await api.admin.agents.releaseWorkspace({ agentId: agent.id, to: volume!.volume });
    const first = await worked(agent.id);
    await pair.find(({ name }) => name === first.host)!.crash();
    const second = await worked(agent.id);
    expect(second.host).not.toBe(first.host);
    expect(second).toMatchObject({ files: ["file-0"], resumes: `session-of-${first.runId}` });
  });
});

it.runIf(why !== null)("Several hosts cannot be tried on this machine", ({ skip }) => skip(why ?? ""));
