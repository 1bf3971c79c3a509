import * as Effect from "effect/Effect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { IssueId, ProjectId, RunId, ServiceId, UserId, WakeId } from "../../core/model/shared/ids.ts";
import { liftHolds } from "../../core/money/lift-holds.ts";
import type { RunCost } from "../../core/money/record-cost.ts";
import { wake as wakeAgent } from "../../core/queue/wake-agent.ts";
import { type ClaimedRun, claimRuns } from "../../core/runs/claim-runs.ts";
import { finishRun } from "../../core/runs/finish-run.ts";
import { recordCost } from "../../core/runs/record-cost.ts";
import { retryRun } from "../../core/runs/retry-run.ts";
import { tickTimers } from "../../core/runs/tick-timers.ts";
import { invokeAgent } from "../../core/staff/agents/invoke-agent.ts";
import { checkoutIssue } from "../../core/work/issues/checkout-issue.ts";
import { createIssue } from "../../core/work/issues/create-issue.ts";
import { updateIssue } from "../../core/work/issues/update-issue.ts";
import { updateIssues } from "../../core/work/issues/update-issues.ts";
import { updateProject } from "../../core/work/projects/update-project.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aProject,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import * as nouns from "../support/nouns.ts";
import { reportsTo } from "../support/report-cost.ts";
import { contextOf, unitAt } from "../support/units.ts";
import { localClaims } from "../support/workspaces.ts";

let storage: TestStorage;
let at = "2026-11-21T12:00:00.000Z";
const clock = { now: () => at };
const ids = { newId: () => newId() as never };
const board = nouns.theBoard;

beforeAll(async () => {
  storage = await openTestStorage({ max: 8 });
});
afterAll(() => storage?.close());
beforeEach(() => {
  at = "2026-11-21T12:00:00.000Z";
});

const does = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect as Effect.Effect<A>);

const report = reportsTo(() => storage, clock);

const setBudget = (projectId: ProjectId, budgetMonthlyCents: number) =>
  does(
    updateProject({ transactor: storage.transactor, clock, ids })({
      projectId,
      by: board,
      budgetMonthlyCents,
    }),
  );

const heldSince = (id: ProjectId) =>
  storage.run(({ projects }) => projects.lock(id)).then(({ heldByBudgetAt }) => heldByBudgetAt);

const aPerson = async () => {
  const userId = newId<UserId>();
  await storage.sql`
    insert into board_users (id, name, created_at) values (${userId}, 'Ada', ${at})
  `;
  return { kind: "board", userId } as const;
};

const spent = async (id: string) =>
  (await storage.run(({ costs }) => costs.spent(id as never, "2026-11-01T00:00:00.000Z"))).spentCents;

const budgetActivity = async (entityId: string) =>
  (
    await storage.sql<{ action: string; scope: string }[]>`
      select    action, details ->> 'scope' as scope
      from      activity
      where     entity_id = ${entityId}
      and       action like 'budget.%'
      order by  id
    `
  ).map(({ action, scope }) => `${scope} ${action}`);

const wake = (agent: AgentInCompany, issueId: IssueId | null, reason: "issue_assigned" | "issue_commented") =>
  storage.run((stores) => wakeAgent(unitAt(stores, at), agent, { issueId, reason }));

const claim = async (): Promise<readonly ClaimedRun[]> => {
  const { claimed } = await does(
    claimRuns(contextOf(storage.transactor, clock))({
      serviceId: newId<ServiceId>(),
      adapterTypes: ["process"],
      ...localClaims,
      limit: 100,
      caps: { instance: 9_999, company: 9_999, adapterType: 9_999 },
    }),
  );
  return claimed;
};

const runsOn = (issueId: IssueId) =>
  storage.sql<{ status: string; stopReason: string | null; errorCode: string | null; wakeReason: string }[]>`
    select status, stop_reason, error_code, wake_reason from runs where issue_id = ${issueId} order by id
  `;

/** A company with a project of a budget, and an agent with an issue in it and one outside. */
const aTown = async (budgetMonthlyCents = 100) => {
  const company = await aCompany(storage);
  const agent = await anAgent(storage, { companyId: company.id });
  const project = await aProject(storage, { companyId: company.id, budgetMonthlyCents });
  const mine = { companyId: company.id, assigneeAgentId: agent.id };
  const inside = await anIssue(storage, { ...mine, projectId: project.id, priority: "critical" });
  const outside = await anIssue(storage, mine);
  return { company, agent, project, inside, outside };
};

const cost = (costCents: number): RunCost => ({
  provider: "acme",
  model: "m",
  billingType: "metered_api",
  usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 },
  costCents,
  estimated: false,
});

const finish = (runId: RunId, agent: AgentInCompany, issueId: IssueId | null, spent?: RunCost) =>
  does(
    finishRun(contextOf(storage.transactor, clock))({
      run: { id: runId, companyId: agent.companyId, agentId: agent.id, issueId },
      outcome: nouns.anOutcome(),
      lastOutput: null,
      ...(spent === undefined ? {} : { spent }),
    }),
  );

describe("The budget of a project", () => {
  it("counts the costs of runs on its issues, reported or of an adapter, and no others", async () => {
    const { agent, project, inside, outside, company } = await aTown(0);
    await wake(agent, inside.id, "issue_assigned");
    await wake(agent, outside.id, "issue_assigned");
    const runs = await claim();
    const of = (issueId: IssueId) => runs.find(({ run }) => run.issueId === issueId)!.run;
    await does(recordCost(contextOf(storage.transactor, clock))(of(inside.id), cost(10.5)));
    await does(recordCost(contextOf(storage.transactor, clock))(of(outside.id), cost(40)));
    await report(agent, 7, { runId: of(inside.id).id });
    await report(agent, 3, { projectId: project.id });
    await report(agent, 90);
    await finish(of(inside.id).id, agent, inside.id, cost(12.25));
    expect(await spent(project.id)).toBe(22.25);
    expect(await spent(company.id)).toBe(152.25);
  });

  it("is exact under 64 reports at once, with one alert and one hold", async () => {
    const { agent, project, inside } = await aTown(40 * 17);
    const others = await Promise.all([1, 2, 3].map(() => anAgent(storage, { companyId: agent.companyId })));
    const agents = [agent, ...others];
    await Promise.all(
      Array.from({ length: 64 }, (_, n) => report(agents[n % 4]!, 17, { issueId: inside.id })),
    );
    expect(await spent(project.id)).toBe(64 * 17);
    expect(await budgetActivity(project.id)).toEqual([
      "project budget.soft_threshold_crossed",
      "project budget.hard_threshold_crossed",
    ]);
    expect(await heldSince(project.id)).toBe(at);
  });

  it("ends the live runs on its issues when it is used up, and its agents do their other work", async () => {
    const { agent, project, inside, outside } = await aTown();
    const second = await anIssue(storage, {
      companyId: agent.companyId,
      assigneeAgentId: agent.id,
      projectId: project.id,
    });
    await wake(agent, inside.id, "issue_assigned");
    await wake(agent, outside.id, "issue_assigned");
    await claim();
    await wake(agent, second.id, "issue_assigned");
    await wake(agent, inside.id, "issue_commented");
    await report(agent, 100, { issueId: inside.id });

    expect(await runsOn(inside.id)).toMatchObject([
      { status: "running", stopReason: "project_budget_exhausted" },
    ]);
    expect(await runsOn(second.id)).toMatchObject([
      { status: "cancelled", stopReason: "project_budget_exhausted" },
    ]);
    expect(await runsOn(outside.id)).toMatchObject([{ status: "running", stopReason: null }]);
    expect((await storage.run(({ agents }) => agents.lock(agent.id))).heldByBudgetAt).toBeNull();

    // No wake starts a run on its issues, and a timer finds the agent's other work.
    await wake(agent, second.id, "issue_assigned");
    const third = await anIssue(storage, {
      companyId: agent.companyId,
      assigneeAgentId: agent.id,
      priority: "high",
    });
    await storage.sql`update agents set next_timer_at = ${at} where id = ${agent.id}`;
    await does(tickTimers(contextOf(storage.transactor, clock))(10));
    expect((await claim()).map(({ run }) => run.issueId)).toEqual([third.id]);
    expect(await runsOn(second.id)).toHaveLength(1);
  });

  it("refuses an agent that takes up one of its issues, and a caller who invokes an agent on one", async () => {
    const { agent, project, inside, outside } = await aTown();
    await wake(agent, outside.id, "issue_assigned");
    const [own] = await claim();
    await report(agent, 100, { projectId: project.id });
    const by = { kind: "agent", agentId: agent.id, runId: own!.run.id } as const;
    const take = does(
      checkoutIssue({ transactor: storage.transactor, clock, ids })({
        issueId: inside.id,
        companyId: agent.companyId,
        by,
        agentId: agent.id,
        expectedStatuses: ["todo"],
      }),
    );
    await expect(take).rejects.toMatchObject({ code: "project_budget_exhausted" });
    const move = updateIssue({ transactor: storage.transactor, clock, ids })({
      issueId: inside.id,
      by,
      status: "in_progress",
    });
    await expect(does(move)).rejects.toMatchObject({ code: "project_budget_exhausted" });
    const invoke = invokeAgent({ transactor: storage.transactor, clock, ids })({
      id: newId<WakeId>(),
      agentId: agent.id,
      by: board,
      issueId: inside.id,
    });
    await expect(does(invoke)).rejects.toMatchObject({ code: "project_budget_exhausted" });
    expect(await runsOn(inside.id)).toEqual([]);
  });

  it("used up, stops no books: people create, check out, move and assign, and each wake waits without a run", async () => {
    const { agent, project, company, inside } = await aTown();
    await report(agent, 100, { projectId: project.id });
    const of = { companyId: company.id, projectId: project.id };
    const unassigned = await anIssue(storage, of);
    const mine = () => anIssue(storage, { ...of, assigneeAgentId: agent.id });
    const [checkedOut, moved, bulk] = [await mine(), await mine(), await mine()];
    const id = newId<IssueId>();
    // The person is a watcher of what they create.
    const by = await aPerson();
    const fresh = { id, ...of, by, title: "Begin", assigneeAgentId: agent.id } as const;
    const { transactor } = storage;
    await does(createIssue({ transactor, clock, ids })({ ...fresh, status: "in_progress" }));
    const claimed = { agentId: agent.id, companyId: company.id, expectedStatuses: ["todo"] } as const;
    await does(checkoutIssue({ transactor, clock, ids })({ ...claimed, issueId: checkedOut.id, by: board }));
    const update = updateIssue({ transactor, clock, ids });
    await does(update({ issueId: moved.id, by: board, status: "in_progress" }));
    await does(update({ issueId: unassigned.id, by: board, assigneeAgentId: agent.id, status: "todo" }));
    const [one] = await does(
      updateIssues({ transactor, clock, ids })({
        companyId: company.id,
        issueIds: [bulk.id],
        by: board,
        status: "in_progress",
      }),
    );
    expect(one?.refusal).toBeNull();

    const issues = [id, checkedOut.id, moved.id, bulk.id, unassigned.id];
    expect(await claim()).toEqual([]);
    const wakes = await storage.sql<{ status: string; endReason: string | null }[]>`
      select status, end_reason from wakes where issue_id = any(${issues}::uuid[])
    `;
    expect(wakes).toHaveLength(5);
    for (const wake of wakes)
      expect(wake).toEqual({ status: "skipped", endReason: "project_budget_exhausted" });
    for (const issueId of issues) expect(await runsOn(issueId)).toEqual([]);

    await setBudget(project.id, 1_000);
    expect((await claim()).map(({ run }) => run.issueId).sort()).toEqual([...issues, inside.id].sort());
  });

  it.each([
    ["is used up", "project_budget_exhausted"],
    ["closes", "issue_closed"],
    ["is given to another agent", "issue_reassigned"],
  ] as const)("retries no run whose project or issue %s", async (_, code) => {
    const { agent, project, inside, company } = await aTown();
    await wake(agent, inside.id, "issue_assigned");
    const [own] = await claim();
    await does(
      finishRun(contextOf(storage.transactor, clock))({
        run: { id: own!.run.id, companyId: company.id, agentId: agent.id, issueId: inside.id },
        outcome: nouns.anOutcome({ exitCode: 1 }),
        lastOutput: null,
      }),
    );
    await storage.sql`update wakes set status = 'cancelled', end_reason = 'test', ended_at = now() where status = 'pending'`;
    await storage.sql`update runs set status = 'cancelled', finished_at = now() where status = 'queued'`;
    if (code === "project_budget_exhausted") await report(agent, 100, { projectId: project.id });
    if (code === "issue_closed")
      await does(
        updateIssue({ transactor: storage.transactor, clock, ids })({
          issueId: inside.id,
          by: board,
          status: "done",
        }),
      );
    if (code === "issue_reassigned") {
      const other = await anAgent(storage, { companyId: company.id });
      const to = { issueId: inside.id, by: board, assigneeAgentId: other.id };
      await does(updateIssue({ transactor: storage.transactor, clock, ids })(to));
    }
    const before = await runsOn(inside.id);
    const retry = retryRun(
      contextOf(storage.transactor, clock),
      storage.views,
    )({
      id: newId<WakeId>(),
      runId: own!.run.id,
      by: board,
    });
    await expect(does(retry)).rejects.toMatchObject({ code, kind: "conflict" });
    expect(await runsOn(inside.id)).toEqual(before);
  });

  it.each([
    ["held_manually_at", "agent_paused"],
    ["held_by_budget_at", "budget_exhausted"],
  ] as const)("and %s: an agent under a hold begins nothing", async (column, code) => {
    const { agent, outside, inside } = await aTown();
    await wake(agent, outside.id, "issue_assigned");
    const [own] = await claim();
    await storage.sql`update agents set ${storage.sql(column)} = ${at} where id = ${agent.id}`;
    const by = { kind: "agent", agentId: agent.id, runId: own!.run.id } as const;
    const { companyId, id: agentId } = agent;
    const begin = [
      checkoutIssue({ transactor: storage.transactor, clock, ids })({
        issueId: inside.id,
        companyId,
        by,
        agentId,
        expectedStatuses: ["todo"],
      }),
      updateIssue({ transactor: storage.transactor, clock, ids })({
        issueId: inside.id,
        by,
        status: "in_progress",
      }),
      createIssue({ transactor: storage.transactor, clock, ids })({
        id: newId<IssueId>(),
        companyId,
        by,
        title: "T",
        assigneeAgentId: agentId,
        status: "in_progress",
      }),
    ];
    for (const effect of begin)
      await expect(does(effect as Effect.Effect<unknown>)).rejects.toMatchObject({ code, kind: "conflict" });
  });

  it("is unknown to other companies: its project is not there for them", async () => {
    const { project, agent } = await aTown();
    await report(agent, 100, { projectId: project.id });
    expect(await heldSince(project.id)).toBe(at);
    const { id: companyId } = await aCompany(storage);
    const otherAgent = await anAgent(storage, { companyId });
    const create = createIssue({ transactor: storage.transactor, clock, ids })({
      id: newId<IssueId>(),
      companyId,
      by: board,
      title: "Look around",
      status: "in_progress",
      assigneeAgentId: otherAgent.id,
      projectId: project.id,
    });
    await expect(does(create)).rejects.toMatchObject({ code: "reference_not_found" });
  });

  it("is set by the board alone", async () => {
    const { agent, project, inside } = await aTown();
    await wake(agent, inside.id, "issue_assigned");
    const [own] = await claim();
    const by = { kind: "agent", agentId: agent.id, runId: own!.run.id } as const;
    const raise = updateProject({ transactor: storage.transactor, clock, ids })({
      projectId: project.id,
      by,
      budgetMonthlyCents: 9_999,
    });
    await expect(does(raise)).rejects.toMatchObject({ code: "forbidden" });
    expect((await storage.run(({ projects }) => projects.lock(project.id))).budgetMonthlyCents).toBe(100);
  });

  it("raised, repeats the wakes that it stopped, once: for workable issues, and for unseen comments", async () => {
    const { agent, project, inside } = await aTown();
    const reviewed = await anIssue(storage, {
      companyId: agent.companyId,
      assigneeAgentId: agent.id,
      projectId: project.id,
      status: "in_review",
    });
    await wake(agent, inside.id, "issue_assigned");
    const [running] = await claim();
    await report(agent, 100, { issueId: inside.id });
    await finish(running!.run.id, agent, inside.id);
    await wake(agent, reviewed.id, "issue_commented");
    await claim();
    expect(await runsOn(reviewed.id)).toEqual([]);

    await setBudget(project.id, 100);
    expect(await heldSince(project.id)).toBe(at);
    await setBudget(project.id, 101);
    expect(await heldSince(project.id)).toBeNull();
    const woken = await claim();
    expect(woken.map(({ run }) => [run.issueId, run.wakeReason]).sort()).toEqual(
      [
        [inside.id, "agent_resumed"],
        [reviewed.id, "issue_commented"],
      ].sort(),
    );
    expect(await budgetActivity(project.id)).toEqual([
      "project budget.soft_threshold_crossed",
      "project budget.hard_threshold_crossed",
      // A raised budget has an alert of its own.
      "project budget.soft_threshold_crossed",
      "project budget.hold_lifted",
    ]);
  });

  it("raised while its agent's own is used up too, leaves the waking to that one", async () => {
    const { agent, project, inside } = await aTown();
    await storage.sql`update agents set budget_monthly_cents = 50 where id = ${agent.id}`;
    await report(agent, 100, { issueId: inside.id });
    await setBudget(project.id, 500);
    expect(await claim()).toEqual([]);
    expect(await runsOn(inside.id)).toEqual([]);
    at = "2026-12-01T00:00:00.000Z";
    await does(liftHolds({ transactor: storage.transactor, clock, ids })());
    expect((await claim()).map(({ run }) => run.issueId)).toContain(inside.id);
  });

  it("of a new month lifts its hold, and wakes each issue once, whatever else held it", async () => {
    const { agent, project, inside, company } = await aTown();
    await storage.sql`update agents set budget_monthly_cents = 50 where id = ${agent.id}`;
    await storage.sql`update companies set budget_monthly_cents = 60 where id = ${company.id}`;
    await report(agent, 100, { issueId: inside.id });
    expect(await heldSince(project.id)).toBe(at);
    at = "2026-12-01T00:00:00.000Z";
    await does(liftHolds({ transactor: storage.transactor, clock, ids })());
    await does(liftHolds({ transactor: storage.transactor, clock, ids })());
    expect(await heldSince(project.id)).toBeNull();
    const [wakes] = await storage.sql<{ n: number }[]>`
      select count(*) as n from wakes where issue_id = ${inside.id} and status = 'pending'
    `;
    expect(wakes).toEqual({ n: 1 });
  });

  it("ends the work of an issue that moves under its hold, and continues one that moves out", async () => {
    const { agent, project, inside, outside } = await aTown();
    await wake(agent, outside.id, "issue_assigned");
    await claim();
    await report(agent, 100, { projectId: project.id });
    const move = (issueId: IssueId, projectId: ProjectId | null) =>
      does(updateIssue({ transactor: storage.transactor, clock, ids })({ issueId, by: board, projectId }));
    await move(outside.id, project.id);
    expect(await runsOn(outside.id)).toMatchObject([{ stopReason: "project_budget_exhausted" }]);
    await move(inside.id, null);
    expect((await claim()).map(({ run }) => [run.issueId, run.wakeReason])).toEqual([
      [inside.id, "agent_resumed"],
    ]);
  });

  it("loses no wake to a claim, a hold and a raise at once", async () => {
    for (let round = 0; round < 12; round++) {
      const { agent, project, inside } = await aTown();
      await Promise.all([
        wake(agent, inside.id, "issue_assigned"),
        claim(),
        report(agent, 100, { issueId: inside.id }),
        setBudget(project.id, 1_000),
      ]);
      await claim();
      for (const { status, id } of await storage.sql<{ id: RunId; status: string }[]>`
        select id, status from runs where issue_id = ${inside.id} and stop_reason is not null and status = 'running'
      `)
        if (status === "running") await finish(id, agent, inside.id);
      await claim();
      expect(await heldSince(project.id)).toBeNull();
      expect((await runsOn(inside.id)).filter(({ status }) => status === "running")).toHaveLength(1);
    }
  });
});
