import * as Effect from "effect/Effect";
import type { TokenUsage } from "../../ports/agent-adapter.ts";
import type { Ids } from "../../ports/ids.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { Company } from "../companies/company.ts";
import type { Issue } from "../issues/issue.ts";
import type { Run } from "../runs/run.ts";
import { stopRuns } from "../runs/stop-runs.ts";
import { type Instant, monthOf } from "../shared/instant.ts";
import { centsBetween } from "./cents.ts";
import type { CostEvent } from "./cost-event.ts";
import { settleAgentBudget, settleCompanyBudget } from "./settle-budget.ts";

/** The budgets that a cost counts against; both are locked, so that no count is lost. */
export interface Payers {
  readonly company: Company;
  readonly agent: AgentInCompany;
}

/**
 * The one way a cost is recorded: the event, what it adds to the month it occurred in, and what the budgets make of that.
 * `replaces` is what was known before of the same cost. Answers with the agent under its holds as they are now. Locks
 * that `lockPayers` has yet to take go out together with the count, so that they are held as short as can be.
 */
export const recordCost = Effect.fnUntraced(function* <E>(
  stores: Stores,
  ids: Ids,
  lockPayers: Effect.Effect<Payers, E>,
  event: CostEvent,
  replaces: CostEvent | null,
  at: Instant,
) {
  yield* replaces === null ? stores.costs.insert(event) : stores.costs.replace(event);
  const cents = centsBetween(replaces?.costCents ?? 0, event.costCents);
  if (cents === 0) return (yield* lockPayers).agent;
  const month = monthOf(event.occurredAt);
  const [payers, spend] = yield* Effect.all([lockPayers, stores.costs.count(event, month, cents)], {
    concurrency: "unbounded",
  });
  yield* stopAtCap(stores, payers.agent, event, at);
  // A cost of another month says nothing about what may be spent in this one.
  if (month !== monthOf(at)) return payers.agent;
  const agent = yield* settleAgentBudget(stores, ids, payers.agent, spend.agent, at);
  const company = yield* settleCompanyBudget(stores, ids, payers.company, spend.company, at);
  return { ...agent, companyHeldByBudgetAt: company.heldByBudgetAt };
});

/** Stops the run of the event where all that it has cost reaches what its agent, who is locked, may spend in a run. */
const stopAtCap = Effect.fnUntraced(function* (
  stores: Stores,
  { runtimeConfig: { maxCostCents } }: AgentInCompany,
  { runId }: CostEvent,
  at: Instant,
) {
  if (runId === null || maxCostCents === undefined) return;
  if ((yield* stores.costs.spentByRun(runId)) >= maxCostCents)
    yield* stopRuns(stores, { runId }, "run_cost_cap", at);
});

/** What a run has used from its beginning until now, as its adapter tells it. */
export interface RunCost {
  readonly provider: string;
  readonly model: string;
  readonly billingType: string;
  readonly usage: TokenUsage;
  /** Exact to a millionth; null: tokens were used at an unknown price. */
  readonly costCents: number | null;
  /** Worked out from a price list while the run goes on; what the program says at its end replaces it. */
  readonly estimated: boolean;
}

export interface RecordRunCost {
  readonly payers: Payers;
  /** Locked. */
  readonly run: Run;
  readonly issue: Pick<Issue, "projectId"> | null;
  /** What was recorded of this run before; read under the run's lock. */
  readonly before: CostEvent | null;
  readonly cost: RunCost;
  readonly at: Instant;
}

/** Records what a run has used so far. Said twice, or again with more, it counts once. */
export const recordRunCost = Effect.fnUntraced(function* (stores: Stores, ids: Ids, record: RecordRunCost) {
  const { payers, run, issue, before, cost, at } = record;
  // An estimate is better than nothing.
  const priced = cost.costCents === null && before?.costStatus === "priced";
  const event: CostEvent = {
    id: before?.id ?? ids.next<"cost_event">(),
    companyId: run.companyId,
    agentId: run.agentId,
    issueId: run.issueId,
    projectId: before === null ? (issue?.projectId ?? null) : before.projectId,
    runId: run.id,
    source: "adapter",
    eventId: null,
    provider: cost.provider,
    model: cost.model,
    billingType: cost.billingType,
    costStatus: priced || cost.estimated ? "priced" : cost.costCents === null ? "unknown" : "reported",
    ...cost.usage,
    costCents: cost.costCents ?? (priced ? before.costCents : 0),
    occurredAt: before?.occurredAt ?? at,
  };
  const agent = yield* recordCost(stores, ids, Effect.succeed(payers), event, before, at);
  return { agent, event };
});
