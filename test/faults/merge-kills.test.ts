import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import type { MergeCrashPoint } from "../support/crash-points.ts";
import { createDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type GitHost, git, startGitHost } from "../support/git-host.ts";
import { stateOf } from "../support/run-processes.ts";
import { sampled } from "../support/sample.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { buildStoppingProgram } from "../support/stopping-program.ts";

let host: GitHost;
let database: Awaited<ReturnType<typeof createDatabase>>;
let sql: postgres.Sql;
let stoppingProgram: string;
let dataDir: string;
let service: ServiceProgram;
let admin: Client;

/** A service without such a point serves the next case, too. */
const start = async (stopAt: MergeCrashPoint | null = null) => {
  const isThere =
    service !== undefined && service.child.exitCode === null && service.child.signalCode === null;
  if (isThere && stopAt === null) return;
  if (isThere) await service.stop();
  service = await serveProgram(
    dataDir,
    {
      DATABASE_URL: database.url,
      SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
      SERVICE_LOG_LEVEL: "error",
      SERVICE_LEASE_SEC: "6",
      SERVICE_SANDBOX: "auto",
      ...(stopAt === null ? {} : { STOP_MERGE_AT: stopAt }),
    },
    [],
    stopAt === null ? {} : { program: stoppingProgram },
  );
  admin = await service.board();
};
const kill = () => service.stop("SIGKILL");
/** Its leases would end by themselves within a minute. */
const restart = async () => {
  const lapsed = sql`lease_until = now() - interval '1 minute', lapsed_at = now() - interval '1 minute'`;
  await sql`update merges set ${lapsed} where state = 'running'`;
  await sql`update gate_checks set ${lapsed} where state = 'running'`;
  await start();
};

beforeAll(async () => {
  [host, database, stoppingProgram] = await Promise.all([
    startGitHost(),
    createDatabase(),
    buildStoppingProgram(),
  ]);
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
  dataDir = mkdtempSync(join(tmpdir(), "merge-kills-"));
});
afterAll(async () => {
  service?.child.kill("SIGCONT");
  await service?.stop("SIGKILL");
  host.close();
  await sql?.end();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** After a failed case. */
afterEach(async () => {
  host.hold = null;
  if (stateOf(service.child.pid!) === "T") await service.stop("SIGKILL");
});

const isSuspended = () =>
  eventually(
    async () => stateOf(service.child.pid!),
    (state) => state === "T",
  );
/** Holds the first such request at the host; resolves when it is there. */
const holdAtHost = (isIt: (url: string) => boolean) => {
  let free: () => void = () => {};
  const freed = new Promise<void>((resolve) => {
    free = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    host.hold = (url) => {
      if (!isIt(url)) return;
      host.hold = null;
      resolve();
      return freed;
    };
  });
  return { arrived, free };
};

/** The whole set-up of an issue: what an agent has left of it is handed in, or asked to be done. */
const handedIn = async (file: string, command: string | null, asked: object = { status: "in_review" }) => {
  const { id: companyId } = await admin.companies.create({ name: file });
  const secret = { companyId, name: "h", value: host.token! };
  const { id: credentialSecretId } = await admin.secrets.create(secret);
  const { id: projectId } = await admin.projects.create({ companyId, name: "Gate" });
  const { id: repositoryId } = await admin.repositories.create({
    projectId,
    url: host.url,
    credentialSecretId,
    allowPrivateHost: true,
  });
  if (command !== null)
    await admin.projects.setGates({ projectId, gates: [{ name: "tests", kind: "command", command }] });
  const handIn = `curl -s -X PATCH -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '${JSON.stringify(asked)}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" >/dev/null || true`;
  const { id: assigneeAgentId } = await admin.agents.create({
    companyId,
    name: "Ada",
    adapterType: "process",
    adapterConfig: {
      command: "/bin/sh",
      args: ["-euc", `[ -e ${file} ] || { echo w >${file}; git add -A; git commit -qm ${file}; }; ${handIn}`],
    },
  });
  const issue = await admin.issues.create({ companyId, projectId, title: file, assigneeAgentId });
  return { companyId, repositoryId, issueId: issue.id };
};
type HandedIn = Awaited<ReturnType<typeof handedIn>>;

const untilCaptured = ({ issueId }: HandedIn) =>
  eventually(
    () => admin.issues.changes({ issueId }),
    ([only]) => only !== undefined && only.files.length > 0,
  );
const check = async ({ issueId }: HandedIn) =>
  (await admin.issues.gates({ issueId })).gates.find(({ kind }) => kind === "command")?.check ?? null;
const gatePassed = (work: HandedIn) =>
  eventually(
    () => check(work),
    (found) => found?.state === "passed",
  );

const areWhole = ({ companyId, repositoryId }: HandedIn) => {
  const folder = join(dataDir, "repositories", companyId, repositoryId);
  for (const store of ["shared.git", "kept.git"]) git(join(folder, store), ["fsck", "--connectivity-only"]);
};
/** The stored state of an issue, its runs and its gate, read also while no service is there. */
const stateIn = async (issueId: string) => {
  const [issue] = await sql`select status from issues where id = ${issueId}`;
  const runs = await sql`select status from runs where issue_id = ${issueId} order by id`;
  const passed = await sql`select from gate_checks where issue_id = ${issueId} and state = 'passed'`;
  return { status: issue?.status, runs: runs.map(({ status }) => status), passed: passed.length };
};
/** A command of a gate that the host can hold. */
const asksHost = (file: string) => `curl -s '${host.at(`/gate/${file}`)}'; test -f ${file}`;
describe("A service that is killed in a gate", () => {
  it.each([
    ["while its command runs", null],
    ["once its command has ended", "command-ended"],
  ] as const)("%s runs it again, and the issue goes on", async (_, stopAt) => {
    const file = `gate-${stopAt ?? "runs"}.txt`;
    await start(stopAt);
    const request = stopAt === null ? holdAtHost((url) => url.includes(file)) : null;
    const work = await handedIn(file, asksHost(file));
    await (request === null ? isSuspended() : request.arrived);
    expect((await sql`select state from gate_checks where issue_id = ${work.issueId}`)[0]?.state).toBe(
      "running",
    );
    await kill();
    request?.free();
    await restart();
    expect(await gatePassed(work)).toMatchObject({ commits: [expect.any(String)], problem: null });
    await admin.issues.update({ issueId: work.issueId, status: "done" });
    expect((await admin.issues.get({ issueId: work.issueId })).verifiedAt).not.toBeNull();
    areWhole(work);
  });
});

describe("A service that is killed while the end of an issue is judged", () => {
  it.each([
    ["once its run has ended", "run-ended"],
    ["once the gate's command has ended", "command-ended"],
    ["once the gate has passed", "result-written"],
  ] as const)("%s finishes it with one verdict and no other run", async (_, stopAt) => {
    const file = `end-${stopAt}.txt`;
    await start(stopAt);
    const asked = { status: "done", comment: "It is written." };
    const work = await handedIn(file, `test -f ${file}`, asked);
    const { issueId } = work;
    await isSuspended();
    await kill();
    const before = await stateIn(issueId);
    expect(before).toEqual({ status: "in_progress", runs: ["succeeded"], passed: 0 });
    await restart();
    await eventually(
      () => admin.issues.get({ issueId }),
      ({ status }) => status === "done",
    );
    // A wake that was to follow would have been stored with the verdict.
    expect(await stateIn(issueId)).toEqual({ status: "done", runs: ["succeeded"], passed: 1 });
    expect((await admin.issues.get({ issueId })).verifiedAt).not.toBeNull();
    const { items } = await admin.issues.comments({ issueId });
    expect(items.map(({ body }) => body)).toEqual([asked.comment]);
    expect(await sql`select from wakes where issue_id = ${issueId}`).toHaveLength(1);
    areWhole(work);
  });
});

describe("A service that is killed in a merge", () => {
  interface Point {
    /** Where it suspends itself, or the request at which the host holds it. */
    readonly stopAt?: MergeCrashPoint;
    readonly holds?: (url: string) => boolean;
    /** When the host goes on with the request that it held. */
    readonly freed?: "before the restart" | "once the merge is known";
    readonly gate?: boolean;
    /** Whether the commit was noted, so that the merge is carried on. */
    readonly isNoted: boolean;
  }
  const points: readonly (readonly [string, Point])[] = [
    [
      "while it fetches what the host has",
      { holds: (url) => url.includes("git-upload-pack"), freed: "before the restart", isNoted: false },
    ],
    [
      "while a gate runs at its commit",
      {
        holds: (url) => url.startsWith("/gate/"),
        freed: "before the restart",
        gate: true,
        isNoted: false,
      },
    ],
    ["once its commit is noted", { stopAt: "commit-noted", isNoted: true }],
    [
      "while it asks the host to push",
      {
        holds: (url) => url.includes("service=git-receive-pack"),
        freed: "before the restart",
        isNoted: true,
      },
    ],
    [
      "before the host takes the push",
      { holds: (url) => url.endsWith("/git-receive-pack"), freed: "before the restart", isNoted: true },
    ],
    [
      "while the host takes the push, which it does late",
      { holds: (url) => url.endsWith("/git-receive-pack"), freed: "once the merge is known", isNoted: true },
    ],
    ["after the host took the push", { stopAt: "commit-pushed", isNoted: true }],
  ];
  it.each(sampled(points, 2))("%s gets the work in once", async (title, point) => {
    const { stopAt = null, holds, freed, gate = false, isNoted } = point;
    const file = `${title.replaceAll(/[^a-z]/g, "-")}.txt`;
    await start(stopAt);
    const work = await handedIn(file, gate ? asksHost(file) : null);
    const { issueId } = work;
    await untilCaptured(work);
    if (gate) {
      await gatePassed(work);
      // Its gate runs again at a merge with what came between.
      host.commit({ [`since-${file}`]: "x\n" });
    }
    const request = holds === undefined ? null : holdAtHost(holds);
    const asked = admin.issues.merge({ issueId, method: "squash" }).catch(() => {});
    await (request === null ? isSuspended() : request.arrived);
    await kill();
    await asked;
    if (freed === "before the restart") request?.free();
    await restart();
    const states = async () =>
      (await sql`select state from merges where issue_id = ${issueId} order by id`).map(({ state }) => state);
    expect(await eventually(states, (all) => !all.includes("running"))).toEqual([
      isNoted ? "merged" : "failed",
    ]);
    request?.free();
    if (isNoted)
      await expect(admin.issues.merge({ issueId, method: "squash" })).rejects.toMatchObject({
        code: "nothing_to_merge",
      });
    else await admin.issues.merge({ issueId, method: "squash" });
    await host.idle();
    expect(git(host.bare, ["log", "--format=%s", "main", "--", file]).split("\n")).toHaveLength(1);
    git(host.bare, ["fsck", "--connectivity-only"]);
    const activity = await sql`select from activity where entity_id = ${issueId} and action = 'issue.merged'`;
    expect(activity).toHaveLength(1);
    expect((await admin.issues.changes({ issueId }))[0]).toMatchObject({
      mergeCommit: git(host.bare, ["rev-list", "-1", "main", "--", file]),
      problem: null,
    });
    areWhole(work);
  });
});
