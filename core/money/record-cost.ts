import * as Effect from "effect/Effect";
import type { TokenUsage } from "../../ports/agent-adapter.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { CostCount } from "../../ports/stores/cost-store.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import type { Company } from "../model/companies/company.ts";
import { centsBetween, sumOfCents } from "../model/costs/cents.ts";
import type { CostEvent, NewCost } from "../model/costs/cost-event.ts";
import type { Project } from "../model/projects/project.ts";
import type { Run } from "../model/runs/run.ts";
import type { RunId } from "../model/shared/ids.ts";
import { monthOf } from "../model/shared/instant.ts";
import { stopRuns } from "../queue/stop-runs.ts";
import { applyAgentBudget, applyCompanyBudget, applyProjectBudget } from "./apply-budget.ts";

/** The budgets that a cost counts against; all are locked, so that no count is lost. */
export interface Payers {
  readonly company: Company;
  readonly agent: AgentInCompany;
  /** The cost's project. */
  readonly project: Project | null;
}

/** The budgets that the costs of one company count against, each once; all are locked. */
export interface AllPayers {
  readonly company: Company;
  readonly agents: readonly AgentInCompany[];
  readonly projects: readonly Project[];
}

/**
 * The only way to record costs: stores the events of one company, adds them to the months they occurred in, and applies
 * each budget once, to its sum. Returns the agents with their present holds.
 */
export const recordCosts = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { company, agents, projects }: AllPayers,
  costs: readonly NewCost[],
) {
  yield* unit.costs.record(costs);
  const counts = countsOf(costs);
  const spends = yield* unit.costs.count(counts.map(({ runIds, ...count }) => count));
  // A cost of another month does not affect this month's budgets.
  const sums = new Map(
    spends.filter(({ month }) => month === monthOf(unit.at)).map(({ scopeId, ...spend }) => [scopeId, spend]),
  );
  const applied: AgentInCompany[] = [];
  for (const agent of agents) {
    const ofAgent = counts.filter(({ agentId }) => agentId === agent.id);
    yield* stopAtCap(unit, agent, new Set(ofAgent.flatMap(({ runIds }) => runIds)));
    const spend = sums.get(agent.id);
    applied.push(spend === undefined ? agent : yield* applyAgentBudget(unit, agent, spend));
  }
  for (const project of projects) {
    const spend = sums.get(project.id);
    if (spend !== undefined) yield* applyProjectBudget(unit, project, spend);
  }
  const spend = sums.get(company.id);
  if (spend === undefined) return applied;
  const { heldByBudgetAt } = yield* applyCompanyBudget(unit, company, spend);
  return applied.map((agent) => ({ ...agent, companyHeldByBudgetAt: heldByBudgetAt }));
});

/** Amounts added to the months of an agent, its company and a project. */
interface Count extends CostCount {
  /** The runs of its events. */
  readonly runIds: readonly RunId[];
}

/** Adds up the costs that are counted together; zero amounts are omitted. */
const countsOf = (costs: readonly NewCost[]): readonly Count[] => {
  const counts = new Map<string, Count>();
  for (const { event, replaces } of costs) {
    const added = centsBetween(replaces?.costCents ?? 0, event.costCents);
    if (added === 0) continue;
    const { companyId, agentId, projectId } = event;
    const month = monthOf(event.occurredAt);
    const budgetKey = `${agentId} ${projectId} ${month}`;
    const before = counts.get(budgetKey);
    const runIds = [...(before?.runIds ?? []), ...(event.runId === null ? [] : [event.runId])];
    const cents = sumOfCents(before?.cents ?? 0, added);
    counts.set(budgetKey, { companyId, agentId, projectId, month, cents, runIds });
  }
  return [...counts.values()];
};

/** Stops those runs whose total cost reaches the agent's cap for one run. The agent is locked. */
const stopAtCap = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { runtimeConfig: { maxCostCents } }: AgentInCompany,
  runIds: ReadonlySet<RunId>,
) {
  if (maxCostCents === undefined) return;
  for (const runId of runIds)
    if ((yield* unit.costs.spentByRun(runId)) >= maxCostCents)
      yield* stopRuns(unit, { runId }, "run_cost_cap");
});

/** Usage of a run from its start until now, as its adapter reports it. */
export interface RunCost {
  readonly provider: string;
  readonly model: string;
  readonly billingType: string;
  readonly usage: TokenUsage;
  /** Exact to a millionth; null: the price of the used tokens is unknown. */
  readonly costCents: number | null;
  /** Calculated from a price list during the run; the program's final report replaces it. */
  readonly estimated: boolean;
}

export interface RecordRunCost {
  readonly payers: Payers;
  /** Locked. */
  readonly run: Run;
  /** The cost recorded for this run before; read under the run's lock. */
  readonly before: CostEvent | null;
  readonly cost: RunCost;
}

/** Records what a run has used so far. Repeated or increased reports count once. */
export const recordRunCost = Effect.fnUntraced(function* (unit: UnitOfWork, record: RecordRunCost) {
  const { payers, run, before, cost } = record;
  // An estimate is better than nothing.
  const priced = cost.costCents === null && before?.costStatus === "priced";
  const event: CostEvent = {
    id: before?.id ?? unit.newId<"cost_event">(),
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
    occurredAt: before?.occurredAt ?? unit.at,
  };
  const { company, project } = payers;
  const [agent] = yield* recordCosts(
    unit,
    { company, agents: [payers.agent], projects: project === null ? [] : [project] },
    [{ event, replaces: before }],
  );
  return { agent: agent!, event };
});
