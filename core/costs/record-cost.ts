import * as Effect from "effect/Effect";
import type { TokenUsage } from "../../ports/agent-adapter.ts";
import type { Ids } from "../../ports/ids.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { Company } from "../companies/company.ts";
import type { Project } from "../projects/project.ts";
import type { Run } from "../runs/run.ts";
import { stopRuns } from "../runs/stop-runs.ts";
import { type Instant, monthOf } from "../shared/instant.ts";
import { centsBetween } from "./cents.ts";
import type { CostEvent } from "./cost-event.ts";
import { settleAgentBudget, settleCompanyBudget, settleProjectBudget } from "./settle-budget.ts";

/** The budgets that a cost counts against; all are locked, so that no count is lost. */
export interface Payers {
  readonly company: Company;
  readonly agent: AgentInCompany;
  /** The cost's project. */
  readonly project: Project | null;
}

/**
 * The only way to record a cost: stores the event, adds it to the month it occurred in, and applies the budgets.
 * `replaces` is the cost recorded before for the same event. Returns the agent with its present holds. Locks that
 * `lockPayers` has yet to take are sent with the count, which keeps them short.
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
  // A cost of another month does not affect this month's budget.
  if (month !== monthOf(at)) return payers.agent;
  const agent = yield* settleAgentBudget(stores, ids, payers.agent, spend.agent, at);
  if (payers.project !== null) yield* settleProjectBudget(stores, ids, payers.project, spend.project, at);
  const company = yield* settleCompanyBudget(stores, ids, payers.company, spend.company, at);
  return { ...agent, companyHeldByBudgetAt: company.heldByBudgetAt };
});

/** Stops the event's run where its total cost reaches the agent's cap for one run. The agent is locked. */
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

/** What a run has used from its start until now, as its adapter reports it. */
export interface RunCost {
  readonly provider: string;
  readonly model: string;
  readonly billingType: string;
  readonly usage: TokenUsage;
  /** Exact to a millionth; null: the price of the used tokens is unknown. */
  readonly costCents: number | null;
  /** Calculated from a price list while the run goes on; the program's final report replaces it. */
  readonly estimated: boolean;
}

export interface RecordRunCost {
  readonly payers: Payers;
  /** Locked. */
  readonly run: Run;
  /** The cost recorded for this run before; read under the run's lock. */
  readonly before: CostEvent | null;
  readonly cost: RunCost;
  readonly at: Instant;
}

/** Records what a run has used so far. Repeated or increased reports count once. */
export const recordRunCost = Effect.fnUntraced(function* (stores: Stores, ids: Ids, record: RecordRunCost) {
  const { payers, run, before, cost, at } = record;
  // An estimate is better than nothing.
  const priced = cost.costCents === null && before?.costStatus === "priced";
  const event: CostEvent = {
    id: before?.id ?? ids.next<"cost_event">(),
    companyId: run.companyId,
    agentId: run.agentId,
    issueId: run.issueId,
    projectId: payers.project?.id ?? null,
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
