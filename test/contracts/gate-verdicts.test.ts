import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { runGateChecks } from "../../core/code/gates/run-gate-checks.ts";
import type { IssueId, ServiceId, UserId, VolumeId } from "../../core/model/shared/ids.ts";
import { finishRun } from "../../core/runs/finish-run.ts";
import { addComment } from "../../core/work/issues/comments/add-comment.ts";
import { applyVerdicts } from "../../core/work/issues/gates/apply-verdicts.ts";
import { updateIssue } from "../../core/work/issues/update-issue.ts";
import type { CodeStores } from "../../ports/code-stores.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aProject,
  aWakeRequest,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import { anOutcome } from "../support/nouns.ts";
import { contextOf } from "../support/units.ts";

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage?.close());

const ids = { newId } as never;
const codeStores = {
  isAncestor: () => Effect.succeed(true),
  publish: () => Effect.succeed(true),
} as unknown as CodeStores;
const head = "1".repeat(40);

/** An agent's run at work on an issue whose project has the gates; its work is kept already. */
const aRunAtWork = async () => {
  const { id: companyId } = await aCompany(storage);
  const { id: projectId } = await aProject(storage, { companyId });
  const agent = await anAgent(storage, { companyId });
  const { id: issueId, identifier } = await anIssue(storage, {
    companyId,
    projectId,
    assigneeAgentId: agent.id,
  });
  const repositoryId = newId();
  await storage.sql`
    insert into repositories (id, company_id, project_id, url, default_branch, mode, checked_at, created_at, updated_at)
    values (${repositoryId}, ${companyId}, ${projectId}, 'https://host.example/a', 'main', 'issue', now(), now(), now())
  `;
  await storage.sql`
    insert into project_gates (project_id, company_id, position, name, kind, command, timeout_sec, max_wakes)
    values (${projectId}, ${companyId}, 0, 'tests', 'command', 'make test', 60, 1)
  `;
  const request = aWakeRequest({ agent, issueId });
  const { runId } = request;
  const at = systemClock.now();
  const by = { serviceId: newId<ServiceId>(), runner: "local", scope: "host/here", volume: null };
  await storage.run(({ wakes, runs, issues }) =>
    Effect.gen(function* () {
      yield* wakes.add(request);
      yield* runs.start([{ runId, by, sessionIdBefore: null }], at);
      yield* wakes.endStarted([runId], at);
      const issue = yield* issues.lock(issueId);
      yield* issues.save({ ...issue, status: "in_progress", checkoutRunId: runId, heldSince: at });
    }),
  );
  await storage.sql`
    insert into issue_branches (issue_id, repository_id, company_id, branch, base_branch, base_commit, head, captured_run_id, created_at, updated_at)
    values (${issueId}, ${repositoryId}, ${companyId}, ${`boardroom/${identifier}`}, 'main', ${"0".repeat(40)}, ${head}, ${runId}, now(), now())
  `;
  await storage.sql`
    insert into run_works (run_id, repository_id, company_id, issue_id, workspace_id, head, files, left_out, captured_at)
    values (${runId}, ${repositoryId}, ${companyId}, ${issueId}, ${newId()}, ${head}, ${head}, '[]', now())
  `;
  return { companyId, projectId, agentId: agent.id, issueId, runId };
};
const context = () => ({ transactor: storage.transactor, clock: systemClock, ids });
type RunAtWork = Awaited<ReturnType<typeof aRunAtWork>>;

/** Asks as the run that the issue be done; returns the refusal's sentence. */
const askDone = async ({ issueId, agentId, runId }: RunAtWork, comment?: string) => {
  const asked = updateIssue(context())({
    issueId,
    status: "done",
    by: { kind: "agent", agentId, runId },
    comment: comment === undefined ? undefined : { id: newId(), body: comment },
  });
  return (await Effect.runPromise(Effect.flip(asked))).message;
};
const end = ({ runId, companyId, agentId, issueId }: RunAtWork, exitCode = 0) =>
  Effect.runPromise(
    finishRun(contextOf(storage.transactor))({
      run: { id: runId, companyId, agentId, issueId },
      outcome: anOutcome({ exitCode }),
      lastOutput: null,
    }),
  );
/** Runs due commands as one service; `meanwhile` happens while one runs. */
const check = async (problem: string | null = null, meanwhile = async () => {}) =>
  Effect.runPromise(
    runGateChecks({
      transactor: storage.transactor,
      clock: systemClock,
      ids,
      codeStores,
      providers: {} as never,
      blobs: {} as never,
      endAtCommit: () => Effect.void,
      volume: "disk" as VolumeId,
      runAtCommit: () => Effect.as(Effect.promise(meanwhile), { problem, durationMs: 1 }),
    })(),
  );
const applyAll = () => Effect.runPromise(applyVerdicts(context())());
const statusOf = async (issueId: IssueId) => (await storage.run(({ issues }) => issues.find(issueId))).status;
/** The reasons of all wakes after the first. */
const wakesOf = async ({ issueId }: RunAtWork) => {
  const rows = await storage.sql<{ reason: string; status: string }[]>`
    select reason, status from wakes where issue_id = ${issueId} order by id
  `;
  return rows.slice(1).map(({ reason }) => reason);
};
const commentsOf = async ({ issueId }: RunAtWork) =>
  (
    await storage.sql<{ body: string }[]>`select body from comments where issue_id = ${issueId} order by id`
  ).map(({ body }) => body);

describe("What follows a run whose issue's gates are judged", () => {
  it("waits for the verdict, and is nothing where the run asked that the issue be done and they pass", async () => {
    const work = await aRunAtWork();
    expect(await askDone(work, "It is done.")).toContain("Boardroom marks it done");
    await end(work);
    expect([await statusOf(work.issueId), await wakesOf(work)]).toEqual(["in_progress", []]);
    await applyAll();
    expect([await statusOf(work.issueId), await wakesOf(work)]).toEqual(["in_progress", []]);
    await check();
    expect([await statusOf(work.issueId), await wakesOf(work)]).toEqual(["done", []]);
    expect(await commentsOf(work)).toEqual(["It is done."]);
    const moves = await storage.sql`
      select actor_id from activity where entity_id = ${work.issueId} and action = 'issue.status_changed'
    `;
    expect(moves).toEqual([{ actorId: work.agentId }]);
  });

  it("is one run where they fail", async () => {
    const work = await aRunAtWork();
    await askDone(work);
    await end(work);
    await check("the program ended with 1");
    await applyAll();
    expect([await statusOf(work.issueId), await wakesOf(work)]).toEqual(["in_progress", ["issue_feedback"]]);
  });

  it("is one run where they fail or pass between the keeping of its work and its end", async () => {
    for (const problem of [null, "the program ended with 1"]) {
      const work = await aRunAtWork();
      await askDone(work);
      await check(problem);
      await end(work);
      await applyAll();
      expect([await statusOf(work.issueId), await wakesOf(work)]).toEqual(
        problem === null ? ["done", []] : ["in_progress", ["issue_feedback"]],
      );
    }
  });

  it("is one run where it did not ask, whatever the verdict", async () => {
    for (const problem of [null, "the program ended with 1"]) {
      const work = await aRunAtWork();
      await end(work);
      expect(await wakesOf(work)).toEqual([]);
      await check(problem);
      await applyAll();
      expect([await statusOf(work.issueId), await wakesOf(work)]).toEqual([
        "in_progress",
        ["issue_feedback"],
      ]);
    }
  });

  it("is a continuation at once where the run failed, whatever it asked", async () => {
    const work = await aRunAtWork();
    await askDone(work);
    await end(work, 1);
    expect(await wakesOf(work)).toEqual(["issue_continuation_needed"]);
  });

  it("is another run where a person has acted since, and the issue stays open", async () => {
    const work = await aRunAtWork();
    await askDone(work);
    await end(work);
    const userId = newId<UserId>();
    await storage.sql`insert into board_users (id, name, created_at) values (${userId}, 'Board', now())`;
    await check(null, async () => {
      await Effect.runPromise(
        addComment(context(), { find: () => Effect.succeed(null) })({
          issueId: work.issueId,
          id: newId(),
          body: "Not so fast.",
          by: { kind: "board", userId },
        }),
      );
    });
    expect(await statusOf(work.issueId)).toBe("in_progress");
    expect((await wakesOf(work))[0]).toBe("issue_commented");
    const runs =
      await storage.sql`select id from runs where issue_id = ${work.issueId} and status = 'queued'`;
    expect(runs).toHaveLength(1);
  });

  it("outlives the service that ran the command, and happens once", async () => {
    const work = await aRunAtWork();
    await askDone(work);
    await end(work);
    await check(null, async () => {
      await storage.sql`
        update gate_checks set lease_until = now() - interval '1 minute', lapsed_at = now() - interval '1 minute'
        where issue_id = ${work.issueId}
      `;
      await check();
    });
    expect([await statusOf(work.issueId), await wakesOf(work)]).toEqual(["done", []]);
  });

  it.each([
    ["nothing, and the issue is done, where the run asked for that", true, "done", []],
    ["a continuation where it did not", false, "in_progress", ["issue_continuation_needed"]],
  ])("is %s, once the gates are taken away", async (_, asks, status, wakes) => {
    const work = await aRunAtWork();
    if (asks) await askDone(work);
    await end(work);
    await storage.sql`delete from project_gates where project_id = ${work.projectId}`;
    await Promise.all([applyAll(), applyAll()]);
    await applyAll();
    expect([await statusOf(work.issueId), await wakesOf(work)]).toEqual([status, wakes]);
  });

  it("waits while the company is paused, and never longer than a day for a verdict that does not come", async () => {
    const work = await aRunAtWork();
    await end(work);
    await storage.sql`update issues set awaits_gates_since = now() - interval '25 hours' where id = ${work.issueId}`;
    await storage.sql`update companies set status = 'paused' where id = ${work.companyId}`;
    await applyAll();
    expect(await wakesOf(work)).toEqual([]);
    await storage.sql`update companies set status = 'active' where id = ${work.companyId}`;
    await applyAll();
    expect(await wakesOf(work)).toEqual(["issue_continuation_needed"]);
  });

  it("is no tick of a timer and nothing that ends a hold", async () => {
    const work = await aRunAtWork();
    const found = () =>
      storage.run(({ issues }) => issues.actionable({ agentId: work.agentId }, systemClock.now()));
    await end(work);
    expect(await found()).toEqual([]);
    await check();
    expect(await found()).toHaveLength(1);
  });
});
