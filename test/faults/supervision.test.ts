import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { installationOf } from "../../adapters-infra/postgres/installation.ts";
import { leaseTimes } from "../../core/model/runs/lease.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { hurriedService } from "../support/hurried-service.ts";
import { carriersOf, isLiving, recordedPids } from "../support/run-processes.ts";
import { startService, type TestService } from "../support/service.ts";
import { twoChecksOf } from "../support/service-checks.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { shareWorkspaces } from "../support/share-workspaces.ts";

/** A lease shorter than the default, so that the test waits less. */
const { leaseSec } = leaseTimes(6);

const dayMs = 24 * 60 * 60 * 1000;

const hostile = new URL("../support/hostile-agent.mjs", import.meta.url).pathname;

/** Answers requests and conducts nothing; the other services come and go. */
let storage: TestService;
let folder: string;
let pids: string;
let companyId: string;
const workers: ServiceProgram[] = [];
const inside: TestService[] = [];

beforeAll(async () => {
  storage = await startService({ role: "api" });
  companyId = (await storage.admin.companies.create({ name: "Supervision" })).id;
});
afterAll(() => storage?.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "supervision-"));
  pids = join(folder, "pids");
});
afterEach(async () => {
  for (const { child } of workers.splice(0)) {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  }
  await Promise.all(inside.splice(0).map((service) => service.stop()));
  for (const pid of recordedPids(pids)) if (isLiving(pid)) process.kill(pid, "SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** A worker in a process of its own, which can be killed. */
const worker = async (ownLeaseSec = leaseSec): Promise<ServiceProgram> => {
  const dataDir = await mkdtemp(join(folder, "worker-"));
  await shareWorkspaces(dataDir, storage.dataDir);
  const program = await serveProgram(dataDir, {
    DATABASE_URL: storage.databaseUrl,
    SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
    SERVICE_LOG_LEVEL: "error",
    SERVICE_LEASE_SEC: String(ownLeaseSec),
  });
  workers.push(program);
  return program;
};
const helper = async (): Promise<TestService> => {
  const service = await startService({ sharedWith: storage, env: { SERVICE_LEASE_SEC: String(leaseSec) } });
  inside.push(service);
  return service;
};

const work = async (deeds: string[], more: Record<string, unknown> = {}) => {
  const agent = await storage.admin.agents.create({
    companyId,
    name: `Ada ${Math.random()}`,
    adapterType: "process",
    adapterConfig: {
      command: process.execPath,
      args: [hostile, ...deeds],
      env: { PIDS: pids },
      graceSec: 0.3,
      ...more,
    },
  });
  const issue = await storage.admin.issues.create({ companyId, title: "Work", assigneeAgentId: agent.id });
  return { agent, issue };
};
const runsOf = async (agentId: string) =>
  (await storage.admin.runs.list({ companyId, agentId })).items.toReversed();
const underWay = (agentId: string, count: number) =>
  eventually(
    async () => ({ run: (await runsOf(agentId))[0], pidCount: recordedPids(pids).length }),
    ({ run, pidCount }) => run?.status === "running" && pidCount === count,
  ).then(({ run }) => run!);

describe("a service that dies", () => {
  it("is noticed at once by another one of its host, which ends its processes and retries its runs once", async () => {
    // Nobody waits for the end of its lease.
    const longLeaseSec = 600;
    await worker(longLeaseSec);
    const { agent, issue } = await work(["ignore-term", "note", "setsid", "double-fork", "hang"]);
    const run = await underWay(agent.id, 3);
    // A comment meanwhile makes a wake that waits for the end of the run.
    await storage.admin.issues.comment({ issueId: issue.id, body: "And this, too." });
    const [first] = workers;
    await helper();
    process.kill(first!.child.pid!, "SIGKILL");
    await eventually(
      () => storage.admin.runs.get({ runId: run.id }),
      ({ status }) => status === "interrupted",
    );
    expect(carriersOf([run.id])).toEqual([]);
    const [, next] = await eventually(
      () => runsOf(agent.id),
      (runs) => runs[1]?.status === "running",
    );
    const { wakes } = await storage.admin.runs.get({ runId: next!.id });
    expect(wakes.map(({ reason }) => reason).sort()).toEqual(["issue_commented", "process_lost_retry"]);
    expect((await storage.admin.issues.get({ issueId: issue.id })).checkoutRunId).toBe(next!.id);
    const lost = await storage.admin.runs.get({ runId: run.id });
    expect(lost).toMatchObject({
      errorCode: "process_lost",
      error: expect.stringContaining("Retrying once"),
    });
    expect(lost.whatNext).toContain(next!.id);
    await storage.admin.runs.cancel({ runId: next!.id });
    await eventually(
      () => runsOf(agent.id),
      (runs) => runs.every(({ status }) => status !== "running"),
    );
  });

  it("yields one run for each that it lost, also where the run had claimed an issue itself", async () => {
    await worker();
    const agent = await storage.admin.agents.create({
      companyId,
      name: `Ada ${Math.random()}`,
      adapterType: "process",
      adapterConfig: nodeAgent(`
        const mine = "/api/companies/" + process.env.SERVICE_COMPANY_ID + "/issues?assigneeAgentId=" + me;
        const [found] = (await call("GET", mine)).body;
        await call("POST", "/api/issues/" + found.id + "/checkout", { agentId: me, expectedStatuses: ["backlog", "in_progress"] });
        if (process.env.SERVICE_WAKE_REASON === "manual") setInterval(() => {}, 1000);
        else await call("PATCH", "/api/issues/" + found.id, { status: "done" });
      `),
    });
    const { id } = await storage.admin.issues.create({
      companyId,
      title: "Claimed",
      status: "backlog",
      assigneeAgentId: agent.id,
    });
    await storage.admin.agents.invoke({ agentId: agent.id });
    await eventually(
      () => storage.admin.issues.get({ issueId: id }),
      ({ checkoutRunId }) => checkoutRunId !== null,
    );
    process.kill(workers[0]!.child.pid!, "SIGKILL");
    await helper();
    await eventually(
      () => storage.admin.issues.get({ issueId: id }),
      ({ status }) => status === "done",
    );
    const runs = await eventually(
      () => runsOf(agent.id),
      (all) => all.every(({ status }) => status === "interrupted" || status === "succeeded"),
    );
    expect(runs.map(({ wakeReason, status }) => [wakeReason, status])).toEqual([
      ["manual", "interrupted"],
      ["process_lost_retry", "succeeded"],
    ]);
  });

  it("fails a run whose program is lost a second time", async () => {
    await worker();
    const { agent } = await work(["ignore-term", "note", "hang"]);
    await underWay(agent.id, 1);
    for (const count of [2, 3]) {
      process.kill(workers.at(-1)!.child.pid!, "SIGKILL");
      await (count === 2 ? worker() : helper());
      if (count === 2)
        await eventually(
          () => runsOf(agent.id),
          (runs) => runs[1]?.status === "running" && recordedPids(pids).length === 2,
        );
    }
    const runs = await eventually(
      () => runsOf(agent.id),
      (all) => all.every(({ status }) => status === "interrupted"),
    );
    expect(runs.map(({ wakeReason, errorCode }) => [wakeReason, errorCode])).toEqual([
      ["issue_assigned", "process_lost"],
      ["process_lost_retry", "process_lost"],
    ]);
    expect(runs[1]!.error).toContain("No retries left");
    const detail = await storage.admin.runs.get({ runId: runs[1]!.id });
    expect(detail.whatNext).toContain("stalled");
  });
});

describe("a suspended service", () => {
  it("loses its runs when its lease ends, and does not disturb their successors when it resumes", async () => {
    const sleeper = await worker();
    const { agent } = await work(["ignore-term", "note", "hang"]);
    const run = await underWay(agent.id, 1);
    process.kill(sleeper.child.pid!, "SIGSTOP");
    const sql = postgres(storage.databaseUrl, { max: 1, onnotice: () => {} });
    const [lease] = await sql`select lease_until from services where pid = ${sleeper.child.pid!}`;
    await sql.end();
    await helper();
    const { finishedAt } = await eventually(
      () => storage.admin.runs.get({ runId: run.id }),
      ({ status }) => status === "interrupted",
    );
    expect(Date.parse(finishedAt!)).toBeGreaterThanOrEqual(lease!.lease_until.getTime());
    await eventually(
      () => runsOf(agent.id),
      (runs) => runs[1]?.status === "running" && recordedPids(pids).length === 2,
    );
    process.kill(sleeper.child.pid!, "SIGCONT");
    // It finds its run ended, and has nothing more to do.
    await twoChecksOf(storage, sleeper.child.pid!);
    const [first, second] = await runsOf(agent.id);
    expect(first).toMatchObject({ status: "interrupted", errorCode: "process_lost" });
    expect(second).toMatchObject({ status: "running" });
    expect(isLiving(recordedPids(pids)[1]!)).toBe(true);
    expect((await fetch(`${sleeper.url}/api/health`)).status).toBe(200);
    await storage.admin.runs.cancel({ runId: second!.id });
    await eventually(
      () => runsOf(agent.id),
      (runs) => runs.every(({ status }) => status !== "running"),
    );
  });
});

describe("a healthy service", () => {
  it("keeps a quiet run while the database is silent for longer than the lease", async () => {
    await worker();
    const { agent } = await work(["note", "hang"]);
    const run = await underWay(agent.id, 1);
    await helper();
    const { pid = 0 } = workers[0]!.child;
    const sql = postgres(storage.databaseUrl, { max: 1, onnotice: () => {} });
    await sql.begin(async (tx) => {
      await tx`lock table services in access exclusive mode`;
      await eventually(
        () => tx`select lease_until < clock_timestamp() as is_over from services where pid = ${pid}`,
        ([lease]) => lease?.is_over === true,
      );
    });
    await sql.end();
    await twoChecksOf(storage, pid);
    expect(await storage.admin.runs.get({ runId: run.id })).toMatchObject({ status: "running" });
    expect(recordedPids(pids).map(isLiving)).toEqual([true]);
    await storage.admin.runs.cancel({ runId: run.id });
    await eventually(
      () => storage.admin.runs.get({ runId: run.id }),
      ({ status }) => status === "cancelled",
    );
  });

  it("ends processes with the id of an ended run, whatever their parent", async () => {
    await helper();
    const { agent } = await work(["say:done"]);
    const [run] = await eventually(
      () => runsOf(agent.id),
      (runs) => runs[0]?.status === "succeeded",
    );
    const { spawn } = await import("node:child_process");
    const marked = (installation: string) => {
      const mark = { SERVICE_RUN_ID: run!.id, SERVICE_INSTALLATION_ID: installation };
      const stray = spawn(process.execPath, [hostile, "ignore-term", "note", "hang"], {
        detached: true,
        stdio: "ignore",
        env: { PATH: process.env.PATH, PIDS: pids, ...mark },
      });
      stray.unref();
      return stray.pid!;
    };
    const sql = openDatabase(storage.databaseUrl, { max: 1 });
    const installation = await installationOf(sql);
    await sql.end();
    const ofAnother = marked(randomUUID());
    const own = marked(installation);
    await eventually(
      async () => isLiving(own),
      (living) => !living,
    );
    expect(isLiving(ofAnother)).toBe(true);
    process.kill(ofAnother, "SIGKILL");
  });
});

describe("a service that only conducts runs", () => {
  it("notices a wake by its signal, whichever service answered the request, and older ones at the end of a run", async () => {
    // Without its poll, which is for signals that are lost, nothing but a signal lets it look for work.
    const pollMs = 2_000;
    const dataDir = await mkdtemp(join(folder, "worker-"));
    await shareWorkspaces(dataDir, storage.dataDir);
    const conductor = await hurriedService(
      {
        dataDir,
        databaseUrl: storage.databaseUrl,
        everyMs: pollMs,
        pauseOf: (millis) => (millis === pollMs ? dayMs : millis),
      },
      { SERVICE_AGENT_URL: storage.url, SERVICE_SANDBOX: "off" },
    );
    try {
      const { agent } = await work(["wait:300", "finish-later", "exit:0"]);
      await eventually(
        () => runsOf(agent.id),
        (runs) => runs.length === 2 && runs.every(({ status }) => status === "succeeded"),
      );
      for (let i = 0; i < 7; i++) {
        const { id } = await storage.admin.agents.invoke({ agentId: agent.id });
        await eventually(
          () => storage.admin.runs.get({ runId: id! }),
          ({ status }) => status === "succeeded" || status === "failed",
        );
      }
      expect(conductor.rounds()).toBeGreaterThan(0);
    } finally {
      await conductor.close();
    }
  });
});

describe("a service that is stopped", () => {
  it("ends its runs' processes, exits with 0, and the next one continues them", async () => {
    const first = await worker();
    const { agent, issue } = await work(["ignore-term", "note", "setsid", "hang"]);
    const run = await underWay(agent.id, 2);
    expect(await first.stop()).toBe(0);
    expect(recordedPids(pids).filter(isLiving)).toEqual([]);
    expect(await storage.admin.runs.get({ runId: run.id })).toMatchObject({
      status: "interrupted",
      errorCode: "service_shutdown",
    });
    expect((await storage.admin.issues.get({ issueId: issue.id })).checkoutRunId).toBeNull();
    await helper();
    const [, next] = await eventually(
      () => runsOf(agent.id),
      (runs) => runs[1]?.status === "running",
    );
    expect(next).toMatchObject({ wakeReason: "process_lost_retry", retryOfRunId: run.id });
    await storage.admin.agents.pause({ agentId: agent.id });
    await eventually(
      () => runsOf(agent.id),
      (runs) => runs.every(({ status }) => status !== "running"),
    );
  });
});

describe("the session of a lost run", () => {
  it("is resumed by its retry, though the run never ended normally", async () => {
    await worker();
    const claude = join(folder, "claude.mjs");
    const { writeFile } = await import("node:fs/promises");
    await writeFile(
      claude,
      `#!${process.execPath}
import { appendFileSync } from "node:fs";
appendFileSync(${JSON.stringify(join(folder, "calls"))}, JSON.stringify(process.argv.slice(2)) + "\\n");
appendFileSync(${JSON.stringify(pids)}, process.pid + "\\n");
console.log(JSON.stringify({ type: "system", subtype: "init", session_id: "sess-1", model: "m" }));
setInterval(() => {}, 1000);
`,
      { mode: 0o755 },
    );
    const agent = await storage.admin.agents.create({
      companyId,
      name: "Clara",
      adapterType: "adapter_a_local",
      adapterConfig: { command: claude, graceSec: 0.3, cwd: folder },
    });
    await storage.admin.issues.create({ companyId, title: "Long work", assigneeAgentId: agent.id });
    await underWay(agent.id, 1);
    const sql = postgres(storage.databaseUrl, { max: 1, onnotice: () => {} });
    await eventually(
      async () => await sql`select from task_sessions where agent_id = ${agent.id}`,
      (sessions) => sessions.length === 1,
    );
    await sql.end();
    process.kill(workers[0]!.child.pid!, "SIGKILL");
    await helper();
    await eventually(
      () => runsOf(agent.id),
      (runs) => runs[1]?.status === "running" && recordedPids(pids).length === 2,
    );
    const calls = (await readFile(join(folder, "calls"), "utf8")).trim().split("\n");
    expect(calls[0]).not.toContain("sess-1");
    expect(calls[1]).toContain("sess-1");
    expect((await runsOf(agent.id))[1]).toMatchObject({ sessionIdBefore: "sess-1" });
    await storage.admin.agents.pause({ agentId: agent.id });
    await eventually(
      () => runsOf(agent.id),
      (runs) => runs.every(({ status }) => status !== "running"),
    );
  });
});
