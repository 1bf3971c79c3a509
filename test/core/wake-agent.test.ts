import * as Effect from "effect/Effect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { type PostgresAdapters, postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import type { Company } from "../../core/model/companies/company.ts";
import { reasonsThatOutliveHolds } from "../../core/model/runs/wake-reason.ts";
import type { RunId, ServiceId, WakeId } from "../../core/model/shared/ids.ts";
import { addSeconds } from "../../core/model/shared/instant.ts";
import { stopRuns } from "../../core/queue/stop-runs.ts";
import { wake } from "../../core/queue/wake-agent.ts";
import { claimRuns } from "../../core/runs/claim-runs.ts";
import { finishRun } from "../../core/runs/finish-run.ts";
import { pauseAgent } from "../../core/staff/agents/pause-agent.ts";
import { resumeAgent } from "../../core/staff/agents/resume-agent.ts";
import { releaseIssue } from "../../core/work/issues/release-issue.ts";
import { updateIssue } from "../../core/work/issues/update-issue.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aWakeRequest,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import * as nouns from "../support/nouns.ts";
import { contextOf, unitAt } from "../support/units.ts";
import { localClaims } from "../support/workspaces.ts";

const clock = { now: () => new Date().toISOString() };
const ids = { newId };
const service = newId<ServiceId>();
const wideOpen = { instance: 1_000, company: 1_000, adapterType: 1_000 };

let storage: TestStorage;
let company: Company;

/** Each test has its own adapter, so that it claims no other test's runs. */
let adapterType = "";
let tests = 0;
beforeEach(() => {
  adapterType = `adapter_${++tests}`;
});

beforeAll(async () => {
  storage = await openTestStorage({ max: 8 });
  company = await aCompany(storage);
});
afterAll(() => storage.close());

const anAgentWithIssue = async () => {
  const agent = await anAgent(storage, { companyId: company.id, adapterType });
  const issue = await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id });
  return { agent, issue };
};

const claim = async (adapters: PostgresAdapters = storage, limit = 20) => {
  const { claimed } = await Effect.runPromise(
    claimRuns(contextOf(adapters.transactor, clock))({
      serviceId: service,
      adapterTypes: [adapterType],
      ...localClaims,
      limit,
      caps: wideOpen,
    }),
  );
  return claimed;
};

const finish = (
  run: { id: RunId; companyId: never; agentId: never; issueId: never },
  adapters: PostgresAdapters = storage,
) =>
  Effect.runPromise(
    finishRun(contextOf(adapters.transactor, clock))({
      run,
      outcome: nouns.anOutcome(),
      lastOutput: null,
    }),
  );

const wakesOf = (agentId: string) => storage.sql<
  { id: string; status: string; endReason: string | null; runId: string | null; reason: string }[]
>`
  select id, status, end_reason, run_id, reason from wakes where agent_id = ${agentId} order by created_at, id
`;

const runRows = (agentId: string) => storage.sql<
  { id: RunId; status: string; errorCode: string | null; error: string | null }[]
>`
  select id, status, error_code, error from runs where agent_id = ${agentId} order by created_at, id
`;

/** The run that a wake has created or joined; null while it waits. */
const runOf = async (id: WakeId) => (await Effect.runPromise(storage.views.runs.ofWake(id))).id;

describe("a wake", () => {
  it("creates a queued run under its given id if none is live", async () => {
    const { agent, issue } = await anAgentWithIssue();
    const request = aWakeRequest({
      agent,
      issueId: issue.id,
      reason: "issue_commented",
      payload: { commentId: newId() },
    });
    await storage.run(({ wakes }) => wakes.add(request));
    expect(await runOf(request.id)).toBe(request.runId);
    const run = await storage.run(({ runs }) => runs.lock(request.runId));
    expect(run).toMatchObject({
      status: "queued",
      companyId: company.id,
      agentId: agent.id,
      issueId: issue.id,
      adapterType,
      wakeReason: "issue_commented",
      invocationSource: "automation",
      context: request.payload,
      retryOfRunId: null,
    });
  });

  it("joins the run that is queued already", async () => {
    const { agent, issue } = await anAgentWithIssue();
    const [first, second] = [
      aWakeRequest({ agent, issueId: issue.id }),
      aWakeRequest({ agent, issueId: issue.id, reason: "issue_commented" }),
    ];
    await storage.run(({ wakes }) => wakes.add(first));
    await storage.run(({ wakes }) => wakes.add(second));
    expect(await runOf(second.id)).toBe(first.runId);
    expect(await runRows(agent.id)).toHaveLength(1);
  });

  it("waits while a run is running, and becomes the next run", async () => {
    const { agent, issue } = await anAgentWithIssue();
    await storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent, issueId: issue.id })));
    const [claimed] = await claim();
    const late = aWakeRequest({ agent, issueId: issue.id, reason: "issue_commented", at: clock.now() });
    await storage.run(({ wakes }) => wakes.add(late));
    expect(await runOf(late.id)).toBeNull();
    expect(await Effect.runPromise(storage.views.runs.ofWake(late.id))).toMatchObject({
      id: null,
      status: "deferred",
    });
    expect(await storage.run(({ wakes }) => wakes.followUpWaits(agent.id, issue.id))).toBe(true);

    await finish(claimed!.run as never);
    expect((await runRows(agent.id)).map(({ status }) => status)).toEqual(["succeeded", "queued"]);
    expect((await wakesOf(agent.id)).map(({ status }) => status)).toEqual(["started", "pending"]);
    const [next] = await claim();
    expect(next!.run).toMatchObject({ wakeReason: "issue_commented", issueId: issue.id });
    expect((await wakesOf(agent.id)).map(({ status }) => status)).toEqual(["started", "started"]);
  });

  it("without an issue has a run of its own, one at a time", async () => {
    const agent = await anAgent(storage, { companyId: company.id, adapterType });
    for (let i = 0; i < 3; i++)
      await storage.run(({ wakes }) =>
        wakes.add(aWakeRequest({ agent, reason: "manual", by: nouns.theBoard })),
      );
    expect(await runRows(agent.id)).toHaveLength(1);
  });

  it("that is skipped ends at once, with the reason", async () => {
    const { agent, issue } = await anAgentWithIssue();
    const paused = { ...agent, heldManuallyAt: nouns.now };
    await storage.run(({ agents }) => agents.save(paused));
    await storage.run((stores) =>
      wake(unitAt(stores, clock.now()), paused, { issueId: issue.id, reason: "issue_assigned" }),
    );
    expect(await wakesOf(agent.id)).toMatchObject([
      { status: "skipped", endReason: "agent_paused", runId: null },
    ]);
    expect(await runRows(agent.id)).toEqual([]);
  });

  it("with a foreign payload cannot name a run to retry", async () => {
    const agent = await anAgent(storage, { companyId: company.id, adapterType });
    const request = aWakeRequest({
      agent,
      reason: "manual",
      payload: { retryOfRunId: "not an id", commentId: "x" },
    });
    await storage.run(({ wakes }) => wakes.add(request));
    const run = await storage.run(({ runs }) => runs.lock(request.runId));
    expect(run.retryOfRunId).toBeNull();
    expect(await Effect.runPromise(storage.views.runs.task(run.id))).toMatchObject({
      comments: [],
      commentIds: [],
    });
  });

  it("keeps its run when it is coalesced, so that its comment is found", async () => {
    const { agent, issue } = await anAgentWithIssue();
    const comments = await Promise.all(
      ["first words", "second words"].map(async (body, n) => {
        const id = newId<never>();
        const at = `2026-01-31T12:00:0${n}.000Z`;
        await storage.run(({ comments }) =>
          comments.insert({
            id,
            companyId: company.id,
            issueId: issue.id,
            body,
            authorAgentId: null,
            authorUserId: null,
            createdByRunId: null,
            location: null,
            createdAt: at,
            updatedAt: at,
            editedAt: null,
            deletedAt: null,
          }),
        );
        await storage.run(({ wakes }) =>
          wakes.add(
            aWakeRequest({
              agent,
              issueId: issue.id,
              reason: "issue_commented",
              payload: { commentId: id },
              at,
            }),
          ),
        );
        return id;
      }),
    );
    const [claimed] = await claim();
    const task = await Effect.runPromise(storage.views.runs.task(claimed!.run.id));
    expect(task.commentIds).toEqual(comments);
    expect(task.comments.map(({ body }) => body)).toEqual(["first words", "second words"]);
    expect((await wakesOf(agent.id)).map(({ status }) => status)).toEqual(["started", "coalesced"]);
  });
});

it("a wake in the transaction that changes its agent's adapter makes a run of the new adapter", async () => {
  const { agent, issue } = await anAgentWithIssue();
  const before = { adapterType: `${adapterType}_before` };
  const request = aWakeRequest({ agent, issueId: issue.id });
  await storage.run(({ wakes }) => wakes.add(request));
  // A transaction that did not see the change yet created it, and committed after it.
  await storage.sql`update runs set adapter_type = ${before.adapterType} where id = ${request.runId}`;
  const claimAny = async () => {
    const { claimed } = await Effect.runPromise(
      claimRuns(contextOf(storage.transactor, clock))({
        serviceId: service,
        adapterTypes: [before.adapterType, adapterType],
        ...localClaims,
        limit: 20,
        caps: wideOpen,
      }),
    );
    return claimed;
  };
  expect(await claimAny()).toEqual([]);
  expect((await claimAny()).map(({ run }) => run)).toMatchObject([{ id: request.runId, adapterType }]);
});

describe("a stop", () => {
  it("ends queued runs at once, with their wakes and an event for their followers", async () => {
    const { agent, issue } = await anAgentWithIssue();
    const request = aWakeRequest({ agent, issueId: issue.id });
    await storage.run(({ wakes }) => wakes.add(request));
    await storage.run((stores) =>
      stopRuns(unitAt(stores, clock.now()), { agentId: agent.id }, "agent_paused"),
    );
    expect(await runRows(agent.id)).toMatchObject([
      { status: "cancelled", errorCode: "agent_paused", error: "The agent was paused." },
    ]);
    expect(await wakesOf(agent.id)).toMatchObject([{ status: "cancelled", endReason: "agent_paused" }]);
    const { items: events } = await Effect.runPromise(
      storage.views.runs.events(request.runId, 0, { limit: 10 }),
    );
    expect(events).toMatchObject([{ seq: 1, type: "lifecycle", payload: { status: "cancelled" } }]);
  });

  it("stops running runs: the first reason and the waiting wakes stay", async () => {
    const { agent, issue } = await anAgentWithIssue();
    const request = aWakeRequest({ agent, issueId: issue.id });
    await storage.run(({ wakes }) => wakes.add(request));
    await claim();
    await storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent, issueId: issue.id })));
    await storage.run((stores) =>
      stopRuns(unitAt(stores, clock.now()), { issueId: issue.id }, "issue_cancelled"),
    );
    await storage.run((stores) =>
      stopRuns(unitAt(stores, clock.now()), { runId: request.runId }, "cancelled"),
    );
    const run = await storage.run(({ runs }) => runs.lock(request.runId));
    expect(run).toMatchObject({ status: "running", stopReason: "issue_cancelled" });
    expect((await wakesOf(agent.id)).map(({ status }) => status)).toEqual(["started", "pending"]);
    const stops = await Effect.runPromise(storage.views.runs.stopsRequested(service));
    expect(stops).toContainEqual({ id: request.runId, reason: "issue_cancelled", isOverdue: true });
  });

  it("leaves out the run that requests it", async () => {
    const { agent, issue } = await anAgentWithIssue();
    const request = aWakeRequest({ agent, issueId: issue.id });
    await storage.run(({ wakes }) => wakes.add(request));
    await claim();
    await storage.run((stores) =>
      stopRuns(unitAt(stores, clock.now()), { issueId: issue.id, except: request.runId }, "issue_cancelled"),
    );
    expect((await storage.run(({ runs }) => runs.lock(request.runId))).stopReason).toBeNull();
  });

  it("with concurrent wakes leaves no wake of an ended run", async () => {
    const { agent, issue } = await anAgentWithIssue();
    for (let round = 0; round < 20; round++) {
      await Promise.all([
        ...Array.from({ length: 4 }, () =>
          storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent, issueId: issue.id, at: clock.now() }))),
        ),
        storage.run((stores) => stopRuns(unitAt(stores, clock.now()), { agentId: agent.id }, "agent_paused")),
      ]);
    }
    const dangling = await storage.sql`
      select wakes.id from wakes join runs on runs.id = wakes.run_id
      where  wakes.agent_id = ${agent.id} and wakes.status = 'pending' and runs.status <> 'queued'
    `;
    expect(dangling).toEqual([]);
  });
});

describe("a mention that joined the run of an assignment", () => {
  const assignedThenMentioned = async () => {
    const { agent, issue } = await anAgentWithIssue();
    const [assigned, mentioned] = [
      aWakeRequest({ agent, issueId: issue.id, reason: "issue_assigned" }),
      aWakeRequest({
        agent,
        issueId: issue.id,
        reason: "issue_comment_mentioned",
        payload: { commentId: newId() },
        at: addSeconds(nouns.now, 1),
      }),
    ];
    await storage.run(({ wakes }) => Effect.andThen(wakes.add(assigned), wakes.add(mentioned)));
    return { agent, issue, assigned, mentioned };
  };
  const goesOnAlone = async (
    { agent, assigned, mentioned }: Awaited<ReturnType<typeof assignedThenMentioned>>,
    reason: string,
  ) => {
    expect(await runRows(agent.id)).toMatchObject([
      { id: assigned.runId, status: "cancelled", errorCode: reason },
      { status: "queued" },
    ]);
    const [claimed] = await claim();
    expect(claimed!.run).toMatchObject({
      wakeReason: "issue_comment_mentioned",
      context: mentioned.payload,
      status: "queued",
    });
    expect(await wakesOf(agent.id)).toMatchObject([
      { id: assigned.id, status: "cancelled", endReason: reason },
      { id: mentioned.id, status: "started", runId: claimed!.run.id },
    ]);
  };

  const issuesOf = () => ({
    update: updateIssue({ transactor: storage.transactor, clock, ids }),
    release: releaseIssue({ transactor: storage.transactor, clock, ids }),
  });

  it("has a run of its own if the issue changes its assignee before the start", async () => {
    const reassigned = await assignedThenMentioned();
    const other = await anAgent(storage, { companyId: company.id });
    await Effect.runPromise(
      issuesOf().update({ issueId: reassigned.issue.id, by: nouns.theBoard, assigneeAgentId: other.id }),
    );
    await goesOnAlone(reassigned, "issue_reassigned");
  });

  it("has a run of its own if the issue is released before the start", async () => {
    const released = await assignedThenMentioned();
    await Effect.runPromise(issuesOf().release({ issueId: released.issue.id, by: nouns.theBoard }));
    await goesOnAlone(released, "issue_reassigned");
  });

  it("has a run of its own if the issue is done before the start", async () => {
    const done = await assignedThenMentioned();
    await Effect.runPromise(
      issuesOf().update({ issueId: done.issue.id, by: nouns.theBoard, status: "done" }),
    );
    expect(await claim()).toEqual([]);
    await goesOnAlone(done, "issue_closed");
  });

  it("ends with it when the issue is cancelled", async () => {
    const { agent, issue } = await assignedThenMentioned();
    await Effect.runPromise(
      issuesOf().update({ issueId: issue.id, by: nouns.theBoard, status: "cancelled" }),
    );
    expect(await runRows(agent.id)).toMatchObject([{ status: "cancelled", errorCode: "issue_cancelled" }]);
    expect((await wakesOf(agent.id)).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  });
});

it("a mention that created a run keeps it when the issue changes its assignee", async () => {
  const { agent, issue } = await anAgentWithIssue();
  const request = aWakeRequest({ agent, issueId: issue.id, reason: "issue_comment_mentioned" });
  await storage.run(({ wakes }) => wakes.add(request));
  await Effect.runPromise(
    updateIssue({ transactor: storage.transactor, clock, ids })({
      issueId: issue.id,
      by: nouns.theBoard,
      assigneeAgentId: null,
    }),
  );
  expect(await runRows(agent.id)).toMatchObject([{ id: request.runId, status: "queued" }]);
});

describe("many servers at once", () => {
  it("end each of 200 wakes as specified, with one live run per agent and issue at any time", async () => {
    const pairs = await Promise.all(Array.from({ length: 5 }, anAgentWithIssue));
    const other = openDatabase(storage.url, { max: 8 });
    const servers: PostgresAdapters[] = [storage, postgresAdapters(other, systemClock)];
    const requests = Array.from({ length: 200 }, (_, n) => ({
      ...pairs[n % pairs.length]!,
      server: servers[n % 2]!,
    }));
    let adding = true;

    const wake = async ({ agent, issue, server }: (typeof requests)[number]) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 800));
      // People cause the wakes, so that the loop breaker does not hold any.
      const by = nouns.theBoard;
      const fields = { agent, issueId: issue.id, reason: "issue_commented", by, at: clock.now() } as const;
      await Effect.runPromise(server.transactor.transact(({ wakes }) => wakes.add(aWakeRequest(fields))));
    };
    const live = new Set<string>();
    const overlapping: string[] = [];
    const work = async (server: PostgresAdapters) => {
      const under: Promise<unknown>[] = [];
      let idle = 0;
      while (adding || idle < 3) {
        const claimed = await claim(server, 3);
        idle = claimed.length === 0 ? idle + 1 : 0;
        for (const { run } of claimed)
          under.push(
            (async () => {
              const pair = `${run.agentId} ${run.issueId}`;
              if (live.has(pair)) overlapping.push(run.id);
              live.add(pair);
              await new Promise((resolve) => setTimeout(resolve, Math.random() * 15));
              live.delete(pair);
              await finish(run as never, server);
            })(),
          );
        if (claimed.length === 0) await new Promise((resolve) => setTimeout(resolve, adding ? 2 : 30));
      }
      await Promise.all(under);
    };
    const workers = [...servers, ...servers].map(work);
    await Promise.all(requests.map(wake));
    adding = false;
    await Promise.all(workers);
    // The last end may have left a follow-up.
    for (let more = await claim(); more.length > 0; more = await claim())
      await Promise.all(more.map(({ run }) => finish(run as never)));
    await other.end({ timeout: 5 });

    const agentIds = pairs.map(({ agent }) => agent.id);
    const wakes = await storage.sql<{ status: string; count: number }[]>`
      select    status, count(*)
      from      wakes
      where     agent_id = any(${agentIds}::uuid[])
      and       reason = 'issue_commented'
      group by  status
    `;
    expect(wakes.map(({ status }) => status).sort()).toEqual(["coalesced", "started"]);
    expect(wakes.reduce((sum, { count }) => sum + count, 0)).toBe(200);

    const odd = await storage.sql`
      select    runs.id, count(*) filter (where wakes.status = 'started') as started
      from      runs
      left join wakes on wakes.run_id = runs.id
      where     runs.agent_id = any(${agentIds}::uuid[])
      group by  runs.id
      having    count(*) filter (where wakes.status = 'started') <> 1
    `;
    expect(odd).toEqual([]);
    expect(overlapping).toEqual([]);
    const unfinished = await storage.sql`
      select id from runs where agent_id = any(${agentIds}::uuid[]) and status <> 'succeeded'
    `;
    expect(unfinished).toEqual([]);
  });
});

describe("wakes that a hold has cancelled", () => {
  it("are repeated after it, also for a running run and after a second hold, and only once", async () => {
    const { agent, issue } = await anAgentWithIssue();
    await storage.sql`update issues set status = 'in_review' where id = ${issue.id}`;
    const cause = { agent, issueId: issue.id, reason: "issue_commented" as const };
    await storage.run(({ wakes }) => wakes.add(aWakeRequest(cause)));
    const hold = async () => {
      await Effect.runPromise(
        pauseAgent({ transactor: storage.transactor, clock, ids })({ agentId: agent.id, by: nouns.theBoard }),
      );
      await Effect.runPromise(
        resumeAgent({ transactor: storage.transactor, clock, ids })({
          agentId: agent.id,
          by: nouns.theBoard,
        }),
      );
    };
    const queued = async () =>
      (await wakesOf(agent.id)).filter(({ status }) => status === "pending").map(({ reason }) => reason);

    const [running] = await claim();
    await hold();
    expect(await queued()).toEqual(["issue_commented"]);
    await finish(running!.run as never);
    await hold();
    expect(await queued()).toEqual(["issue_commented"]);
    const [again] = await claim();
    await finish(again!.run as never);
    await hold();
    expect(await queued()).toEqual([]);
    expect((await runRows(agent.id)).map(({ status }) => status)).toEqual([
      "cancelled",
      "cancelled",
      "succeeded",
    ]);
  });

  it("reach all agents of a company whose hold is lifted", async () => {
    const own = await aCompany(storage);
    const agents = await Promise.all([1, 2].map(() => anAgent(storage, { companyId: own.id, adapterType })));
    for (const agent of agents) {
      const { id: issueId } = await anIssue(storage, {
        companyId: own.id,
        status: "in_review",
        assigneeAgentId: agent.id,
      });
      const request = aWakeRequest({ agent, issueId, reason: "issue_card_answered" });
      await storage.run(({ wakes }) => wakes.addSkipped(request, "company_not_active"));
    }
    const found = await storage.run(({ wakes }) =>
      wakes.cutOff(own.id, { companyId: own.id }, reasonsThatOutliveHolds),
    );
    expect(found.map(({ agentId }) => agentId).sort()).toEqual(agents.map(({ id }) => id).sort());
    expect(
      await storage.run(({ wakes }) =>
        wakes.cutOff(company.id, { agentId: agents[0]!.id }, reasonsThatOutliveHolds),
      ),
    ).toEqual([]);
  });
});
