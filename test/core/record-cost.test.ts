import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { updateCompany } from "../../core/companies/update-company.ts";
import type { Run } from "../../core/model/runs/run.ts";
import type {
  AgentId,
  CompanyId,
  CostEventId,
  ProjectId,
  RunId,
  ServiceId,
} from "../../core/model/shared/ids.ts";
import { liftHolds } from "../../core/money/lift-holds.ts";
import type { RunCost } from "../../core/money/record-cost.ts";
import { reportCost } from "../../core/money/report-cost.ts";
import { wake } from "../../core/queue/wake-agent.ts";
import { claimRuns } from "../../core/runs/claim-runs.ts";
import { finishRun } from "../../core/runs/finish-run.ts";
import { recordCost } from "../../core/runs/record-cost.ts";
import { runCostOf } from "../../core/runs/run-cost.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import { aCompany, anAgent, anIssue, newId, openTestStorage, type TestStorage } from "../support/builders.ts";
import * as nouns from "../support/nouns.ts";
import { reportsTo } from "../support/report-cost.ts";
import { contextOf, unitAt } from "../support/units.ts";
import { localClaims, noTemplates } from "../support/workspaces.ts";

let storage: TestStorage;
let at = "2026-11-30T23:00:00.000Z";
const clock = { now: () => at };
const ids = { newId: () => newId() as never };

beforeAll(async () => {
  storage = await openTestStorage({ max: 8 });
});
afterAll(() => storage?.close());

const costs = () => ({
  report: reportCost({ transactor: storage.transactor, clock, ids }),
  liftHolds: liftHolds({ transactor: storage.transactor, clock, ids }),
});

const report = reportsTo(() => storage, clock);

const spent = async (id: string) =>
  (
    await storage.sql<{ month: string; spentCents: number }[]>`
      select month, spent_cents from budget_months where scope_id = ${id} order by month
    `
  ).map(({ month, spentCents }) => [month.slice(0, 7), spentCents]);

const holdOf = async (id: AgentId) => (await storage.run(({ agents }) => agents.lock(id))).heldByBudgetAt;

const activity = async (entityId: string) =>
  (
    await storage.sql<
      { action: string }[]
    >`select action from activity where entity_id = ${entityId} order by id`
  )
    .map(({ action }) => action)
    .filter((action) => action.startsWith("budget."));

/** Running runs of the agent, each on an issue of its own. */
const startedAtOnce = async (agent: AgentInCompany, count: number) => {
  const started = async () => {
    const issue = await anIssue(storage, { companyId: agent.companyId, assigneeAgentId: agent.id });
    await storage.run((stores) =>
      wake(unitAt(stores, at), agent, { issueId: issue.id, reason: "issue_assigned" }),
    );
  };
  await Promise.all(Array.from({ length: count }, started));
  const { claimed } = await Effect.runPromise(
    claimRuns(contextOf(storage.transactor, clock))({
      serviceId: newId<ServiceId>(),
      adapterTypes: ["process"],
      ...localClaims,
      // Runs of other tests may wait, too.
      limit: count + 20,
      caps: { instance: 9_999, company: 9_999, adapterType: 9_999 },
    }),
  );
  const runs = claimed.filter(({ run }) => run.agentId === agent.id).map(({ run }) => run);
  expect(runs).toHaveLength(count);
  return runs;
};

/** A running run of the agent, on an issue of its own. */
const started = async (agent: AgentInCompany) => (await startedAtOnce(agent, 1))[0]!;

describe("concurrent cost reports", () => {
  it("all count: 64 on one agent add up to the exact total, one alert, one hold, and none fails", async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id, budgetMonthlyCents: 40 * 17 });
    const began = performance.now();
    const events = await Promise.all(Array.from({ length: 64 }, () => report(agent, 17)));
    console.log(`64 cost events at once: ${Math.round(performance.now() - began)} ms`);
    expect(new Set(events.map(({ id }) => id)).size).toBe(64);
    expect(await spent(agent.id)).toEqual([["2026-11", 64 * 17]]);
    expect(await spent(company.id)).toEqual([["2026-11", 64 * 17]]);
    const [stored] = await storage.sql<{ total: number; events: number }[]>`
      select sum(cost_cents) as total, count(*) as events from cost_events where agent_id = ${agent.id}
    `;
    expect(stored).toEqual({ total: 64 * 17, events: 64 });
    expect(await activity(agent.id)).toEqual([
      "budget.soft_threshold_crossed",
      "budget.hard_threshold_crossed",
    ]);
    expect(await holdOf(agent.id)).toBe(at);
  });

  it("count for each agent and for their company", async () => {
    const company = await aCompany(storage);
    const agents = await Promise.all(
      Array.from({ length: 8 }, () => anAgent(storage, { companyId: company.id })),
    );
    await Promise.all(agents.flatMap((agent, n) => [1, 2, 3, 4].map(() => report(agent, n))));
    for (const [n, agent] of agents.entries())
      expect(await spent(agent.id)).toEqual(n === 0 ? [] : [["2026-11", 4 * n]]);
    expect(await spent(company.id)).toEqual([["2026-11", 4 * 28]]);
  });

  it("count once with one eventId, and are refused if the content differs", async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id });
    const events = await Promise.all(
      Array.from({ length: 8 }, () => report(agent, 5, { eventId: "heartbeat-7" })),
    );
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    expect(await spent(agent.id)).toEqual([["2026-11", 5]]);
    await expect(report(agent, 6, { eventId: "heartbeat-7" })).rejects.toMatchObject({
      message: expect.stringContaining("eventId"),
    });
  });

  it("of another month count there, and hold no agent now", async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id, budgetMonthlyCents: 10 });
    await report(agent, 1000, { occurredAt: "2026-10-31T23:59:59.999Z" });
    expect(await spent(agent.id)).toEqual([["2026-10", 1000]]);
    expect(await holdOf(agent.id)).toBeNull();
  });
});

describe("costs that two services report at once, in transactions of many", () => {
  const asked = (agent: { id: AgentId; companyId: CompanyId }, more: object = {}) => ({
    id: newId<CostEventId>(),
    companyId: agent.companyId,
    by: nouns.theBoard,
    agentId: agent.id,
    provider: "acme",
    model: "m",
    costCents: 1,
    ...more,
  });

  it("all count exactly, with one alert and one hold for each budget, also if many others are refused", async () => {
    const company = await aCompany(storage);
    await Effect.runPromise(
      updateCompany(noTemplates)({ transactor: storage.transactor, clock, ids })({
        companyId: company.id,
        by: nouns.theBoard,
        budgetMonthlyCents: 500,
      }),
    );
    const agents = await Promise.all(
      Array.from({ length: 10 }, () => anAgent(storage, { companyId: company.id, budgetMonthlyCents: 40 })),
    );
    const foreignAgent = await anAgent(storage, { companyId: (await aCompany(storage)).id });
    const services = [costs(), costs()];
    const send = (n: number, command: ReturnType<typeof asked>) =>
      Effect.runPromiseExit(services[n % 2]!.report(command));
    const reports = await Promise.all(
      Array.from({ length: 600 }, (_, n) => {
        const agent = agents[n % 10]!;
        if (n % 6 === 5) return send(n, { ...asked(agent), agentId: foreignAgent.id });
        if (n % 6 === 4) return send(n, asked(agent, { issueId: newId() }));
        return send(n, asked(agent));
      }),
    );
    const recorded = reports.filter(Exit.isSuccess);
    expect(recorded).toHaveLength(400);
    expect(new Set(recorded.map(({ value }) => value.id)).size).toBe(400);
    for (const refused of reports.filter(Exit.isFailure))
      expect(String(refused.cause)).toContain("reference_not_found");
    const [stored] = await storage.sql<{ total: number; events: number }[]>`
      select sum(cost_cents) as total, count(*) as events from cost_events where company_id = ${company.id}
    `;
    expect(stored).toEqual({ total: 400, events: 400 });
    expect(await spent(company.id)).toEqual([["2026-11", 400]]);
    expect(await spent(foreignAgent.id)).toEqual([]);
    const sums = await Promise.all(agents.map(({ id }) => spent(id)));
    expect(sums.reduce((sum, [month]) => sum + (month?.[1] as number), 0)).toBe(400);
    for (const [n, agent] of agents.entries()) {
      const isUsedUp = (sums[n]![0]![1] as number) >= 40;
      expect(await activity(agent.id)).toEqual([
        "budget.soft_threshold_crossed",
        ...(isUsedUp ? ["budget.hard_threshold_crossed"] : []),
      ]);
      expect(await holdOf(agent.id)).toBe(isUsedUp ? at : null);
    }
    expect(await activity(company.id)).toEqual(["budget.soft_threshold_crossed"]);
  });

  it("count once with one eventId, also in one batch, and a different content under it is refused alone", async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id });
    const { report: record } = costs();
    const reports = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        Effect.runPromiseExit(
          record(
            asked(
              agent,
              n % 3 === 2 ? {} : { eventId: `e${n % 5}`, costCents: n % 3 === 1 && n > 40 ? 9 : 1 },
            ),
          ),
        ),
      ),
    );
    const refused = reports.filter(Exit.isFailure);
    for (const { cause } of refused) expect(String(cause)).toContain("idempotency_key_reused");
    expect(reports.flatMap((each, n) => (Exit.isFailure(each) ? [n] : []))).toEqual(
      Array.from({ length: 60 }, (_, n) => n).filter((n) => n % 3 === 1 && n > 40),
    );
    expect(await spent(agent.id)).toEqual([["2026-11", 20 + 5]]);
  });

  it("all count where the database refuses one of them", async () => {
    const agent = await anAgent(storage, { companyId: (await aCompany(storage)).id });
    const { report: record } = costs();
    const reports = await Promise.all(
      ["m", "m", "no \0 character", "m"].map((model) =>
        Effect.runPromiseExit(record(asked(agent, { model }))),
      ),
    );
    expect(reports.map(Exit.isSuccess)).toEqual([true, true, false, true]);
    expect(await spent(agent.id)).toEqual([["2026-11", 3]]);
  });

  it("stop the run that reaches its cap, and no other of the batch", async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id, runtimeConfig: { maxCostCents: 30 } });
    const [one, other] = [await started(agent), await started(agent)];
    const { report: record } = costs();
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        Effect.runPromise(record(asked(agent, { runId: n < 30 ? one.id : other.id }))),
      ),
    );
    const stopOf = async (run: Run) => (await storage.run((stores) => stores.runs.lock(run.id))).stopReason;
    expect([await stopOf(one), await stopOf(other)]).toEqual(["run_cost_cap", null]);
  });
});

describe("the costs that a run reports while it is running", () => {
  const cost = (outputTokens: number, costCents: number | null, estimated = true): RunCost => ({
    provider: "acme",
    model: "m",
    billingType: "metered_api",
    usage: { inputTokens: 0, outputTokens, cachedInputTokens: 0 },
    costCents,
    estimated,
  });

  const aRunningRun = async (budgetMonthlyCents = 0) => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id, budgetMonthlyCents });
    return { agent, run: await started(agent) };
  };
  const runs = () => ({
    finish: finishRun(contextOf(storage.transactor, clock)),
    recordCost: recordCost(contextOf(storage.transactor, clock)),
  });
  const events = (runId: RunId) =>
    storage.sql<{ costCents: number; outputTokens: number; costStatus: string }[]>`
      select cost_cents, output_tokens, cost_status from cost_events where run_id = ${runId}
    `;

  it("are one event that grows, and the final report replaces the estimates", async () => {
    const { agent, run } = await aRunningRun();
    await Effect.runPromise(runs().recordCost(run, cost(10, 40)));
    await Effect.runPromise(runs().recordCost(run, cost(10, 40)));
    await Effect.runPromise(runs().recordCost(run, cost(30, 120)));
    expect(await events(run.id)).toEqual([{ costCents: 120, outputTokens: 30, costStatus: "priced" }]);
    expect(await spent(agent.id)).toEqual([["2026-11", 120]]);
    await Effect.runPromise(
      runs().finish({ run, outcome: nouns.anOutcome(), lastOutput: null, spent: cost(31, 99, false) }),
    );
    expect(await events(run.id)).toEqual([{ costCents: 99, outputTokens: 31, costStatus: "reported" }]);
    expect(await spent(agent.id)).toEqual([["2026-11", 99]]);
    // Too late: the run has its final report.
    await Effect.runPromise(runs().recordCost(run, cost(500, 5000)));
    expect(await spent(agent.id)).toEqual([["2026-11", 99]]);
  });

  it("stay if the program gives no final report or no price", async () => {
    const { agent, run } = await aRunningRun();
    await Effect.runPromise(runs().recordCost(run, cost(10, 40)));
    await Effect.runPromise(
      runs().finish({ run, outcome: nouns.anOutcome(), lastOutput: null, spent: cost(12, null, false) }),
    );
    expect(await events(run.id)).toEqual([{ costCents: 40, outputTokens: 12, costStatus: "priced" }]);
    const other = await aRunningRun();
    await Effect.runPromise(runs().recordCost(other.run, cost(10, null, false)));
    await Effect.runPromise(runs().finish({ run: other.run, outcome: "lost", lastOutput: null }));
    expect(await events(other.run.id)).toEqual([{ costCents: 0, outputTokens: 10, costStatus: "unknown" }]);
    expect(await spent(agent.id)).toEqual([["2026-11", 40]]);
  });

  it("stop the run in the transaction that uses the budget up", async () => {
    const { agent, run } = await aRunningRun(100);
    await Effect.runPromise(runs().recordCost(run, cost(10, 80)));
    expect((await storage.run((stores) => stores.runs.lock(run.id))).stopReason).toBeNull();
    await Effect.runPromise(runs().recordCost(run, cost(30, 101)));
    expect(await storage.run((stores) => stores.runs.lock(run.id))).toMatchObject({
      status: "running",
      stopReason: "budget_exhausted",
    });
    expect(await holdOf(agent.id)).toBe(at);
  });
});

describe("a run whose agent has a cap for each run", () => {
  const cost = (costCents: number): RunCost => ({
    provider: "acme",
    model: "m",
    billingType: "metered_api",
    usage: { inputTokens: 0, outputTokens: 1, cachedInputTokens: 0 },
    costCents,
    estimated: true,
  });
  const capped = async () => {
    const company = await aCompany(storage);
    const runtimeConfig = { maxCostCents: 100 };
    const agent = await anAgent(storage, { companyId: company.id, runtimeConfig });
    return { agent, run: await started(agent) };
  };
  const note = (run: Run, costCents: number) =>
    Effect.runPromise(recordCost(contextOf(storage.transactor, clock))(run, cost(costCents)));
  const stopOf = async (run: Run) => (await storage.run((stores) => stores.runs.lock(run.id))).stopReason;

  it("is stopped in the transaction that reaches the cap, once", async () => {
    const { agent, run } = await capped();
    const other = await started(agent);
    await note(run, 99.999999);
    expect(await stopOf(run)).toBeNull();
    await note(other, 60);
    await note(run, 100);
    expect(await stopOf(run)).toBe("run_cost_cap");
    expect(await stopOf(other)).toBeNull();
    expect(await holdOf(agent.id)).toBeNull();
    const end = finishRun(contextOf(storage.transactor, clock));
    const verdict = await Effect.runPromise(end({ run, outcome: nouns.anOutcome(), lastOutput: null }));
    expect(verdict).toEqual({
      status: "cancelled",
      errorCode: "run_cost_cap",
      error: "Reached the agent's cost limit per run (maxCostCents).",
    });
  });

  it("is charged with all reported costs, in whatever month, many at once", async () => {
    const { agent, run } = await capped();
    const of = { runId: run.id };
    await note(run, 20);
    await report(agent, 39, { ...of, occurredAt: "2026-10-31T23:00:00.000Z" });
    await report(agent, 500);
    await Promise.all(Array.from({ length: 8 }, () => report(agent, 5, of)));
    expect(await stopOf(run)).toBeNull();
    await report(agent, 1, { ...of, occurredAt: "2026-10-31T23:00:00.000Z" });
    expect(await stopOf(run)).toBe("run_cost_cap");
  });

  it("is not stopped if its program's final report reaches the cap", async () => {
    const { run } = await capped();
    const end = finishRun(contextOf(storage.transactor, clock));
    const outcome = nouns.anOutcome();
    const verdict = await Effect.runPromise(end({ run, outcome, lastOutput: null, spent: cost(5_000) }));
    expect(verdict?.status).toBe("succeeded");
  });
});

describe("costs below a cent", () => {
  const runs = () => ({
    finish: finishRun(contextOf(storage.transactor, clock)),
    recordCost: recordCost(contextOf(storage.transactor, clock)),
  });
  const reported = (costUsd: number, estimated = false): RunCost =>
    runCostOf({ usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 }, costUsd, estimated })!;

  it("add up: 100 runs of 0.3 ct use up a budget of 30 cents with the last run, not before", async () => {
    const company = await aCompany(storage, { agentCausedRunLimit: 0 });
    const agent = await anAgent(storage, {
      companyId: company.id,
      budgetMonthlyCents: 30,
      runtimeConfig: { heartbeat: { maxConcurrentRuns: 20 } },
    });
    const alerts = () => activity(agent.id);
    let n = 0;
    while (n < 100)
      for (const run of await startedAtOnce(agent, 20)) {
        await Effect.runPromise(
          runs().finish({ run, outcome: nouns.anOutcome(), lastOutput: null, spent: reported(0.003) }),
        );
        n += 1;
        if (n === 79) expect(await alerts()).toEqual([]);
        if (n === 80) expect(await alerts()).toEqual(["budget.soft_threshold_crossed"]);
        if (n === 99) expect(await holdOf(agent.id)).toBeNull();
      }
    expect(await holdOf(agent.id)).toBe(at);
    expect(await spent(agent.id)).toEqual([["2026-11", 30]]);
  });

  it("are never lost: the exact sum is rounded down once, for display", async () => {
    const dollars = fc.oneof(
      fc.double({ min: 0, max: 0.02, noNaN: true }),
      fc.double({ min: 0, max: 3, noNaN: true }),
      fc.constantFrom(0, 0.003, 0.00999999, 0.01, 1e-8, 29.29),
    );
    const costReport = fc.record({ of: fc.nat(2), costUsd: dollars, isLast: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(costReport, { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(3), { maxLength: 3 }),
        async (costReports, reports) => {
          const company = await aCompany(storage);
          const agent = await anAgent(storage, { companyId: company.id, budgetMonthlyCents: 200 });
          const going = [await started(agent), await started(agent), await started(agent)];
          const lastWord = new Map<number, number>();
          const ended = new Set<number>();
          for (const { of, costUsd, isLast } of costReports) {
            const run = going[of]!;
            await Effect.runPromise(
              isLast
                ? runs().finish({
                    run,
                    outcome: nouns.anOutcome(),
                    lastOutput: null,
                    spent: reported(costUsd),
                  })
                : runs().recordCost(run, reported(costUsd, true)),
            );
            // Too late if the run has ended.
            if (!ended.has(of)) lastWord.set(of, costUsd);
            if (isLast) ended.add(of);
          }
          for (const cents of reports) await report(agent, cents);
          const exact =
            [...lastWord.values()].reduce((sum, costUsd) => sum + Math.round(costUsd * 1e8), 0) / 1e6 +
            reports.reduce((sum, cents) => sum + cents, 0);
          const counted = (await spent(agent.id))[0]?.[1] ?? 0;
          expect(counted).toBeCloseTo(exact, 6);
          expect(await spent(company.id)).toEqual(await spent(agent.id));
          const period = { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" };
          const shown = await Effect.runPromise(storage.views.costs.total(company.id, period));
          expect(shown.costCents).toBe(Math.floor(counted as number));
          const byAgent = await Effect.runPromise(storage.views.costs.byAgent(company.id, period));
          expect(byAgent[0]?.costCents ?? 0).toBe(shown.costCents);
          expect((await holdOf(agent.id)) !== null).toBe((counted as number) >= 200);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("are shown as whole cents, of a run and of its event", async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id });
    const run = await started(agent);
    await Effect.runPromise(
      runs().finish({ run, outcome: nouns.anOutcome(), lastOutput: null, spent: reported(0.0299) }),
    );
    expect((await Effect.runPromise(storage.views.runs.get(run.id))).run.costCents).toBe(2);
    const period = { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" };
    const { items } = await Effect.runPromise(
      storage.views.costs.events({ companyId: company.id, period }, { limit: 10 }),
    );
    expect(items).toMatchObject([{ runId: run.id, costCents: 2, costStatus: "reported" }]);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, 1e300])(
    "an invalid amount (%s dollars) is an unknown cost",
    (costUsd) => {
      expect(reported(costUsd)).toMatchObject({ costCents: null });
    },
  );
});

describe("a new month", () => {
  it("lifts the holds of budgets and no others, and wakes each issue once", async () => {
    at = "2026-11-30T23:59:00.000Z";
    const company = await aCompany(storage, { budgetMonthlyCents: 100 });
    const agent = await anAgent(storage, { companyId: company.id, budgetMonthlyCents: 50 });
    const paused = await anAgent(storage, {
      companyId: company.id,
      budgetMonthlyCents: 50,
      heldManuallyAt: at,
    });
    for (const assignee of [agent, paused])
      await anIssue(storage, { companyId: company.id, assigneeAgentId: assignee.id });
    await report(agent, 60);
    await report(paused, 60);
    const budgetStopped = await storage.run(({ agents }) => agents.lock(agent.id));
    expect([budgetStopped.heldByBudgetAt, budgetStopped.companyHeldByBudgetAt]).toEqual([at, at]);
    await Effect.runPromise(costs().liftHolds());
    expect(await holdOf(agent.id)).toBe(at);

    at = "2026-12-01T00:00:00.000Z";
    // The gate does not wait for the lifting of holds.
    await storage.run((stores) =>
      wake(unitAt(stores, at), budgetStopped, { issueId: null, reason: "manual" }),
    );
    await Effect.runPromise(costs().liftHolds());
    await Effect.runPromise(costs().liftHolds());
    const lifted = await storage.run(({ agents }) => agents.lock(agent.id));
    expect([lifted.heldByBudgetAt, lifted.companyHeldByBudgetAt]).toEqual([null, null]);
    const still = await storage.run(({ agents }) => agents.lock(paused.id));
    expect([still.heldByBudgetAt, still.heldManuallyAt]).toEqual([null, "2026-11-30T23:59:00.000Z"]);
    const wakes = await storage.sql<{ reason: string; status: string; endReason: string | null }[]>`
      select    reason, status, end_reason
      from      wakes
      where     company_id = ${company.id}
      and       status = 'pending'
      order by  created_at, id
    `;
    expect(wakes.filter(({ reason }) => reason === "manual")).toHaveLength(1);
    expect(wakes.filter(({ reason }) => reason === "agent_resumed")).toHaveLength(1);
    expect(await activity(agent.id)).toEqual([
      "budget.soft_threshold_crossed",
      "budget.hard_threshold_crossed",
      "budget.hold_lifted",
    ]);
    const [runsOfAgent] = await storage.sql<{ n: number }[]>`
      select count(*) as n from runs where agent_id = ${agent.id} and issue_id is not null and status = 'queued'
    `;
    expect(runsOfAgent).toEqual({ n: 1 });
    const [runsOfPaused] = await storage.sql<{ n: number }[]>`
      select count(*) as n from runs where agent_id = ${paused.id} and status = 'queued'
    `;
    expect(runsOfPaused).toEqual({ n: 0 });
  });

  it.each(["agent", "company", "project"] as const)(
    "wakes no issue whose run has started since: the hold of the %s ended with its month",
    async (scope) => {
      at = "2026-11-30T23:59:00.000Z";
      const budgets = { agent: 0, company: 0, project: 0, [scope]: 50 };
      const company = await aCompany(storage, { budgetMonthlyCents: budgets.company });
      const projectId = newId<ProjectId>();
      await storage.sql`
        insert into projects (id, company_id, name, status, budget_monthly_cents, created_at, updated_at)
        values (${projectId}, ${company.id}, 'Cranes', 'in_progress', ${budgets.project}, ${at}, ${at})`;
      const agent = await anAgent(storage, { companyId: company.id, budgetMonthlyCents: budgets.agent });
      const waiting = await anIssue(storage, {
        companyId: company.id,
        assigneeAgentId: agent.id,
        projectId,
      });
      await report(agent, 60, { issueId: waiting.id });
      at = "2026-12-01T00:00:01.000Z";
      const run = await started(agent);
      await storage.sql`update issues set project_id = ${projectId} where id = ${run.issueId}`;
      at = "2026-12-01T00:00:05.000Z";
      await Effect.runPromise(costs().liftHolds());
      const wakes = await storage.sql<{ issueId: string; reason: string; status: string }[]>`
        select issue_id, reason, status from wakes where agent_id = ${agent.id} order by created_at, id`;
      expect(wakes.map(({ issueId, reason }) => [issueId, reason])).toEqual([
        [run.issueId, "issue_assigned"],
        [waiting.id, "agent_resumed"],
      ]);
    },
  );

  it("keeps the hold of a company whose budget was lowered below its costs", async () => {
    const company = await aCompany(storage, { budgetMonthlyCents: 100 });
    const agent = await anAgent(storage, { companyId: company.id });
    await report(agent, 60);
    const update = updateCompany(noTemplates)({ transactor: storage.transactor, clock, ids });
    await Effect.runPromise(
      update({ companyId: company.id, by: nouns.theBoard, budgetMonthlyCents: 60 }) as Effect.Effect<unknown>,
    );
    const budgetStopped = await storage.run(({ agents }) => agents.lock(agent.id));
    expect(budgetStopped.companyHeldByBudgetAt).toBe(at);
    await Effect.runPromise(
      update({ companyId: company.id, by: nouns.theBoard, budgetMonthlyCents: 61 }) as Effect.Effect<unknown>,
    );
    expect((await storage.run(({ agents }) => agents.lock(agent.id))).companyHeldByBudgetAt).toBeNull();
  });
});
