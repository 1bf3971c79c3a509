import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { leaseTimes } from "../../core/model/runs/lease.ts";
import type { CrashPoint } from "../support/crash-points.ts";
import { eventually } from "../support/eventually.ts";
import { isLiving, recordedPids, stateOf } from "../support/run-processes.ts";
import { startService, type TestService } from "../support/service.ts";
import { twoChecksOf } from "../support/service-checks.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { shareWorkspaces } from "../support/share-workspaces.ts";
import { buildStoppingProgram } from "../support/stopping-program.ts";

/** A lease shorter than the default, so that the test waits less. */
const { leaseSec, recoveryBoundSec } = leaseTimes(6);

let storage: TestService;
let sql: postgres.Sql;
let folder: string;
let companyId: string;
const services: ServiceProgram[] = [];
const inside: TestService[] = [];
let stoppingProgram: string;

beforeAll(async () => {
  stoppingProgram = await buildStoppingProgram();
  storage = await startService({ role: "api" });
  sql = postgres(storage.databaseUrl, { max: 2, onnotice: () => {} });
  companyId = (await storage.admin.companies.create({ name: "Fences" })).id;
});
afterAll(async () => {
  await sql?.end();
  await storage?.stop();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fencing-"));
});
afterEach(async () => {
  for (const { child } of services.splice(0)) {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  }
  await Promise.all(inside.splice(0).map((service) => service.stop()));
  for (const pid of recordedPids(join(folder, "pids"))) if (isLiving(pid)) process.kill(pid, "SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** In a process of its own, which suspends itself there. */
const suspending = async (crashAt: CrashPoint): Promise<ServiceProgram> => {
  const dataDir = await mkdtemp(join(folder, "data-"));
  await shareWorkspaces(dataDir, storage.dataDir);
  const program = await serveProgram(
    dataDir,
    {
      DATABASE_URL: storage.databaseUrl,
      SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
      SERVICE_LOG_LEVEL: "error",
      SERVICE_LEASE_SEC: String(leaseSec),
      STOP_AT: crashAt,
    },
    [],
    { program: stoppingProgram },
  );
  services.push(program);
  return program;
};
/** Takes the runs over. */
const another = async (): Promise<void> => {
  inside.push(await startService({ sharedWith: storage, env: { SERVICE_LEASE_SEC: String(leaseSec) } }));
};

/** A program with every kind of output: a session, use, text, and (for the first) a result. */
const talkative = async (): Promise<string> => {
  const path = join(folder, "claude.mjs");
  await writeFile(
    path,
    `#!${process.execPath}
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
const first = !existsSync(${JSON.stringify(join(folder, "begun"))});
writeFileSync(${JSON.stringify(join(folder, "begun"))}, "");
appendFileSync(${JSON.stringify(join(folder, "pids"))}, process.pid + "\\n");
process.on("SIGTERM", () => {});
const say = (event) => console.log(JSON.stringify(event));
const name = first ? "first" : "second";
say({ type: "system", subtype: "init", session_id: "session-of-the-" + name, model: "claude-opus-5" });
const usage = { input_tokens: first ? 1_000_000 : 10, output_tokens: 1 };
say({ type: "assistant", message: { id: "m1", model: "claude-opus-5", content: [{ type: "text", text: name }], usage } });
for (let n = 0; n < 50; n++) console.log("output of the " + name + " " + n);
if (first) setTimeout(() => {
  say({ type: "result", subtype: "success", is_error: false, result: "the first is done", total_cost_usd: 9, session_id: "session-of-the-first",
        usage });
  setTimeout(() => process.exit(0), 200);
}, 1500);
else setInterval(() => say({ type: "assistant", message: { id: "m2", content: [{ type: "text", text: "on" }] } }), 500);
`,
    { mode: 0o755 },
  );
  return path;
};

/** Reads all stored data of a run, and of its agent's sessions, costs and issues. */
const storedDataOf = async (runId: string, agentId: string) =>
  JSON.stringify(
    await Promise.all([
      sql`select * from runs where id = ${runId}`,
      sql`select * from run_events where run_id = ${runId} order by seq`,
      sql`select * from run_log_segments where run_id = ${runId} order by byte_offset`,
      sql`select * from cost_events where run_id = ${runId}`,
      sql`select * from secret_access_events where run_id = ${runId} order by id`,
      sql`select * from activity where entity_id = ${runId} order by id`,
      sql`select session_id_before, service_id, status, process from runs where agent_id = ${agentId} and id <> ${runId}`,
      sql`select params, display_id, last_run_id from task_sessions where agent_id = ${agentId}`,
      sql`select spent_cents from budget_months where scope_id = ${agentId}`,
      sql`select status, assignee_agent_id, checkout_run_id from issues where assignee_agent_id = ${agentId}`,
    ]),
  );

describe("a suspended service whose runs others have taken over", () => {
  it.each(["before-pid-stored", "after-pid-stored", "mid-output", "after-result"] as const)(
    "at %s writes nothing to them when it resumes, and does not disturb their successors",
    async (point) => {
      const sleeper = await suspending(point);
      const { id: secretId } = await storage.admin.secrets.create({
        companyId,
        name: `S ${point}`,
        value: `value-for-${point}`,
      });
      const agent = await storage.admin.agents.create({
        companyId,
        name: `Ada ${point}`,
        adapterType: "adapter_a_local",
        adapterConfig: {
          command: await talkative(),
          graceSec: 0.3,
          cwd: folder,
          env: { SECRET: { type: "secret_ref", secretId, version: "latest" } },
        },
      });
      const issue = await storage.admin.issues.create({
        companyId,
        title: "Once",
        assigneeAgentId: agent.id,
      });
      await eventually(
        async () => stateOf(sleeper.child.pid!),
        (state) => state === "T",
        { everyMs: 5 },
      );
      const runsOf = async () =>
        (await storage.admin.runs.list({ companyId, agentId: agent.id })).items.toReversed();
      const [first] = await runsOf();
      expect(first?.status).toBe("running");
      // Its lease has ended; another test covers the real duration.
      await sql`update services set lease_until = now() - interval '1 second' where pid = ${sleeper.child.pid!}`;
      await another();
      const [, second] = await eventually(
        runsOf,
        (runs) => runs[1]?.status === "running" && recordedPids(join(folder, "pids")).length === 2,
      );
      // The second program has printed its beginning.
      await eventually(
        () => sql`select display_id from task_sessions where agent_id = ${agent.id}`,
        ([session]) => session?.display_id === "session-of-the-second",
      );
      await eventually(
        () => sql`select cost_cents from cost_events where run_id = ${second!.id}`,
        (rows) => rows.length === 1,
      );
      const before = await storedDataOf(first!.id, agent.id);
      expect(JSON.parse(before)[0][0]).toMatchObject({ status: "interrupted", error_code: "process_lost" });
      sleeper.child.kill("SIGCONT");
      // It reads all output of its program.
      const [, secondPid] = recordedPids(join(folder, "pids"));
      await twoChecksOf(storage, sleeper.child.pid!);
      expect(await storedDataOf(first!.id, agent.id)).toBe(before);
      expect(isLiving(secondPid!)).toBe(true);
      expect((await fetch(`${sleeper.url}/api/health`)).status).toBe(200);
      expect((await storage.admin.issues.get({ issueId: issue.id })).checkoutRunId).toBe(second!.id);
      // And it works on: for other agents, and for the same agent.
      await storage.admin.runs.cancel({ runId: second!.id });
      await eventually(runsOf, (runs) => runs.every(({ status }) => status !== "running"));
      expect(recordedPids(join(folder, "pids")).filter(isLiving)).toEqual([]);
      expect(await readFile(join(folder, "pids"), "utf8")).toMatch(/^\d+\n\d+\n$/);
    },
  );

  it("is visible meanwhile: health and metrics report the age of a lost run, and another service ends it within the bound", async () => {
    const sleeper = await suspending("mid-output");
    const agent = await storage.admin.agents.create({
      companyId,
      name: "Lost",
      adapterType: "adapter_a_local",
      adapterConfig: { command: await talkative(), graceSec: 0.3, cwd: folder },
    });
    await storage.admin.issues.create({ companyId, title: "Lost", assigneeAgentId: agent.id });
    await eventually(
      async () => stateOf(sleeper.child.pid!),
      (state) => state === "T",
      { everyMs: 5 },
    );
    const oldest = async () => (await storage.admin.system.health({})).oldestLostRunSec;
    expect(await oldest()).toBeNull();
    await sql`update services set lease_until = now() - interval '7 seconds' where pid = ${sleeper.child.pid!}`;
    expect(await oldest()).toBeGreaterThanOrEqual(7);
    const { body } = await storage.request("GET", "/metrics");
    expect(String(body)).toMatch(/^boardroom_oldest_lost_run_seconds (?:[7-9]|\d\d)/m);
    expect(String(body)).toMatch(/^boardroom_runs_held 0$/m);
    await another();
    // The time that a machine takes to start a service is no part of the bound.
    const ages = [(await oldest()) ?? 0];
    await eventually(oldest, (age) => {
      ages.push(age ?? 0);
      return age === null;
    });
    const tookSec = Math.max(...ages) - ages[0]!;
    console.log(`taken over within ${tookSec} s by a service that was there, of ${recoveryBoundSec}`);
    expect(tookSec).toBeLessThan(recoveryBoundSec);
    await storage.admin.agents.pause({ agentId: agent.id });
  });

  it("in the middle of a transaction loses its locks, so that its run is taken over within the bound", async () => {
    const sleeper = await suspending("in-finish");
    const agent = await storage.admin.agents.create({
      companyId,
      name: "Held",
      adapterType: "process",
      adapterConfig: { command: "/bin/true" },
    });
    const issue = await storage.admin.issues.create({ companyId, title: "Held", assigneeAgentId: agent.id });
    await eventually(
      async () => stateOf(sleeper.child.pid!),
      (state) => state === "T",
      { everyMs: 5 },
    );
    await another();
    // The time that a machine takes to start a service is no part of the bound.
    const from = performance.now();
    await eventually(
      async () => (await storage.admin.runs.ofIssue({ issueId: issue.id })).items.at(-1)?.status,
      (status) => status === "interrupted",
    );
    const tookSec = (performance.now() - from) / 1000;
    console.log(`taken over after ${tookSec.toFixed(1)} s, of ${recoveryBoundSec}`);
    expect(tookSec).toBeLessThan(recoveryBoundSec);
  });
});
