import * as Effect from "effect/Effect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { noStores } from "../../adapters-infra/git/git-stores.ts";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { runGateChecks } from "../../core/code/gates/run-gate-checks.ts";
import { captureWorkspace } from "../../core/code/workspaces/capture-workspace.ts";
import type { Company } from "../../core/model/companies/company.ts";
import type { Issue } from "../../core/model/issues/issue.ts";
import type { IssueStatus } from "../../core/model/issues/issue-status.ts";
import type { RunId, VolumeId } from "../../core/model/shared/ids.ts";
import {
  aCompany,
  anIssue,
  aProject,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";

let storage: TestStorage;
let company: Company;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage?.close());
beforeEach(async () => {
  company = await aCompany(storage);
});

/** The volume of the service that looks. */
const disk = "disk" as VolumeId;
const commit = (letter: string) => letter.repeat(40);
const capturedHeads = new Map<RunId, string>();
/** Has what `capturedHeads` has of each run, and all commits. */
const codeStores = {
  ...noStores("None."),
  gap: null,
  sharedObjects: () => "/objects",
  capturedRefs: (_: unknown, runId: RunId) =>
    Effect.succeed({
      tree: capturedHeads.get(runId) ?? null,
      head: capturedHeads.get(runId) ?? null,
      heads: [],
      stash: null,
    }),
  isAncestor: () => Effect.succeed(true),
  publish: () => Effect.succeed(true),
  packOf: () => Effect.succeed((async function* () {})()),
};

/** A project with a repository and a gate of that command. */
const aGatedProject = async (command = "make test") => {
  const project = await aProject(storage, { companyId: company.id });
  const repositoryId = newId();
  await storage.sql`
    insert into repositories (id, company_id, project_id, url, default_branch, mode, checked_at, created_at, updated_at)
    values (${repositoryId}, ${company.id}, ${project.id}, 'https://host.example/a', 'main', 'issue', now(), now(), now())
  `;
  await storage.sql`
    insert into project_gates (project_id, company_id, position, name, kind, command, timeout_sec, max_wakes)
    values (${project.id}, ${company.id}, 0, 'tests', 'command', ${command}, 60, 3)
  `;
  return { projectId: project.id, repositoryId };
};
type GatedProject = Awaited<ReturnType<typeof aGatedProject>>;

const anIssueWithWork = async ({ projectId, repositoryId }: GatedProject, status: IssueStatus) => {
  const issue = await anIssue(storage, { companyId: company.id, projectId, status });
  await storage.sql`
    insert into issue_branches (issue_id, repository_id, company_id, branch, base_branch, base_commit, head, captured_run_id, published_at, created_at, updated_at)
    values (${issue.id}, ${repositoryId}, ${company.id}, ${`boardroom/${issue.identifier}`}, 'main', ${commit("0")}, ${commit("a")}, ${newId()}, now(), now(), now())
  `;
  return issue;
};

/** A run of the issue's own workspace ends, with that commit. */
const goOn = async ({ repositoryId }: GatedProject, issue: Issue, head: string) => {
  const runId = newId<RunId>();
  capturedHeads.set(runId, head);
  await storage.sql`
    insert into issue_workspaces (id, company_id, issue_id, volume, run_id, uncaptured_run_id, clones, made_at, used_at, created_at)
    values (
      ${newId()}, ${company.id}, ${issue.id}, ${disk}, ${runId}, ${runId},
      ${storage.sql.json([{ repositoryId, directory: null }])}, now(), now(), now()
    )
    on conflict (issue_id, volume, agent_id) do update set run_id = ${runId}, uncaptured_run_id = ${runId}
  `;
  const keep = captureWorkspace({
    transactor: storage.transactor,
    clock: systemClock,
    codeStores,
    blobs: { putStream: () => Effect.succeed({ byteSize: 0 }) },
    credentials: { mintCaptureToken: () => Effect.succeed("token") },
    oneAtATime: (_: string, each: unknown) => each,
    apiUrl: () => "http://127.0.0.1",
  } as never);
  const trees = {
    volume: disk,
    isThere: () => Effect.succeed(true),
    open: () => Effect.succeed({}),
    keep: () => Effect.succeed({ hasHead: true, branch: null, state: null, leftOut: [], bytes: 0 }),
  };
  const problem = await Effect.runPromise(
    keep({
      runId,
      processRunId: runId,
      issueWorkspaces: trees as never,
      stop: new AbortController().signal,
      onOutput: () => Effect.void,
    }),
  );
  expect(problem).toBeNull();
};

/** Looks for due gates until none is due. Returns the commands that ran, with their commits; they end as `problem` says. */
const poll = async (problem: string | null = null, volume = disk) => {
  const ran: string[] = [];
  const round = runGateChecks({
    transactor: storage.transactor,
    clock: systemClock,
    ids: { newId } as never,
    codeStores,
    volume,
    providers: {} as never,
    blobs: {} as never,
    endAtCommit: () => Effect.void,
    runAtCommit: ({ command, clones }) =>
      Effect.sync(() => {
        ran.push(`${command} at ${clones.map((clone) => clone.commit[0]).join()}`);
        return { problem, durationMs: 1 };
      }),
  });
  for (let before = -1; before < ran.length; ) {
    before = ran.length;
    await Effect.runPromise(round());
  }
  return ran;
};
const statusOf = async ({ id }: Issue) => (await storage.run(({ issues }) => issues.find(id))).status;
const changeCommand = ({ projectId }: GatedProject, command: string) =>
  storage.sql`update project_gates set command = ${command} where project_id = ${projectId}`;

describe("The command of a gate", () => {
  it("runs once for the work of each open issue, and for none without work", async () => {
    const project = await aGatedProject();
    for (const status of ["todo", "in_progress", "in_review", "blocked", "backlog"] as const)
      await anIssueWithWork(project, status);
    await anIssue(storage, { companyId: company.id, projectId: project.projectId, status: "todo" });
    expect(await poll()).toEqual(Array(5).fill("make test at a"));
    expect(await poll()).toEqual([]);
  });

  it("that was changed runs again for open issues alone, and opens none that is done", async () => {
    const project = await aGatedProject();
    const issues = [];
    for (const status of ["in_review", "done", "cancelled"] as const)
      issues.push({ issue: await anIssueWithWork(project, "in_review"), status });
    await poll();
    for (const { issue, status } of issues)
      await storage.sql`update issues set status = ${status} where id = ${issue.id}`;
    await changeCommand(project, "make all");
    expect(await poll("It ended with 1.")).toEqual(["make all at a"]);
    for (const { issue, status } of issues) expect(await statusOf(issue)).toBe(status);
  });

  it("runs again for a done issue that continues with new commits, as it is now, and opens it where it fails", async () => {
    const project = await aGatedProject();
    const issue = await anIssueWithWork(project, "in_review");
    await poll();
    await storage.sql`update issues set status = 'done' where id = ${issue.id}`;
    // The same commits are no news.
    await goOn(project, issue, commit("a"));
    expect(await poll()).toEqual([]);
    await changeCommand(project, "make all");
    await goOn(project, issue, commit("b"));
    expect(await poll()).toEqual(["make all at b"]);
    expect(await statusOf(issue)).toBe("done");
    await goOn(project, issue, commit("c"));
    expect(await poll("It ended with 1.")).toEqual(["make all at c"]);
    expect(await statusOf(issue)).toBe("todo");
  });

  it("that ran while a done issue went on runs once more", async () => {
    const project = await aGatedProject();
    const issue = await anIssueWithWork(project, "in_review");
    await poll();
    await storage.sql`update issues set status = 'done' where id = ${issue.id}`;
    await goOn(project, issue, commit("b"));
    const due = await storage.run(({ gates }) => gates.takeDue(disk, systemClock.now(), 2));
    expect(due).toMatchObject([{ issueId: issue.id, gate: { name: "tests" } }]);
    await goOn(project, issue, commit("c"));
    // It runs still, so that nobody takes it.
    expect(await poll()).toEqual([]);
    await storage.sql`update gate_checks set state = 'passed' where issue_id = ${issue.id}`;
    expect(await poll()).toEqual(["make test at c"]);
  });

  it("of an issue with gates of its own runs in place of its project's, and none where it has none", async () => {
    const project = await aGatedProject();
    const setGates = async (issue: Issue, commands: readonly string[] | null) =>
      storage.run(({ gates }) =>
        Effect.andThen(
          gates.replace(
            company.id,
            { issueId: issue.id },
            (commands ?? []).map((command) => ({
              name: command,
              kind: "command",
              reviewerAgentId: null,
              reviewerUserId: null,
              command,
              timeoutSec: 60,
              maxWakes: 3,
            })),
          ),
          gates.markOwn(issue.id, commands !== null),
        ),
      );
    const issue = await anIssueWithWork(project, "in_review");
    await setGates(issue, ["make lint", "make docs"]);
    await setGates(await anIssueWithWork(project, "in_review"), []);
    // They run at the same time.
    expect(new Set(await poll())).toEqual(new Set(["make lint at a", "make docs at a"]));
    await storage.sql`update issues set status = 'done' where id = ${issue.id}`;
    await goOn(project, issue, commit("b"));
    expect(new Set(await poll())).toEqual(new Set(["make lint at b", "make docs at b"]));
    await storage.sql`update issues set status = 'in_review' where id = ${issue.id}`;
    await setGates(issue, null);
    expect(await poll()).toEqual(["make test at b"]);
  });

  it("is left to the service whose disk has the work, until that is abandoned", async () => {
    const project = await aGatedProject();
    const other = "another disk" as VolumeId;
    for (const id of [disk, other])
      await storage.sql`
        insert into volumes (id, host, seen_at, abandoned_at) values (${id}, 'here', now(), now() + interval '1 hour')
      `;
    const issue = await anIssueWithWork(project, "in_review");
    await goOn(project, issue, commit("b"));
    expect(await poll(null, other)).toEqual([]);
    expect(await poll()).toEqual(["make test at b"]);
    await goOn(project, issue, commit("c"));
    await storage.sql`update volumes set abandoned_at = now() - interval '1 hour' where id = ${disk}`;
    expect(await poll(null, other)).toEqual(["make test at c"]);
  });

  it("that a lost service has left is taken by another, once", async () => {
    const project = await aGatedProject();
    await anIssueWithWork(project, "in_review");
    const take = () => storage.run(({ gates }) => gates.takeDue(disk, systemClock.now(), 2));
    expect((await Promise.all([take(), take(), take()])).flat()).toHaveLength(1);
    expect(await take()).toEqual([]);
    await storage.sql`
      update  gate_checks
      set     lease_until = now() - interval '1 hour', lapsed_at = now() - interval '1 hour'
      where   company_id = ${company.id}
    `;
    expect((await Promise.all([take(), take(), take()])).flat()).toHaveLength(1);
  });
});
