import * as Effect from "effect/Effect";
import type { Ids } from "../../ports/ids.ts";
import type { HeldWork } from "../../ports/stores/wake-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { bySystem } from "../model/access/caller.ts";
import type { ActivityAction, BudgetScope } from "../model/activity/activity-entry.ts";
import type { Company } from "../model/companies/company.ts";
import {
  type Budget,
  budgetHolds,
  budgetHoldsFrom,
  decideBudget,
  type MonthSpend,
} from "../model/costs/budget.ts";
import { wholeCents } from "../model/costs/cents.ts";
import type { Project } from "../model/projects/project.ts";
import type { StopReason } from "../model/runs/run.ts";
import type { AgentId, CompanyId, ProjectId } from "../model/shared/ids.ts";
import { type Instant, monthOf } from "../model/shared/instant.ts";
import { stopRuns } from "../queue/stop-runs.ts";
import { wakeAfterHold } from "../queue/wake-after-hold.ts";

type BudgetedAgent = Budget & {
  readonly id: AgentId;
  readonly companyId: CompanyId;
};

/** Applies the budget of a locked agent to its spend in the month of `at`: alerts, holds or lifts. */
export const applyAgentBudget = <A extends BudgetedAgent>(
  stores: Stores,
  ids: Ids,
  agent: A,
  spend: MonthSpend,
  at: Instant,
): Effect.Effect<A> =>
  applyBudget(stores, ids, {
    holder: agent,
    scope: "agent",
    companyId: agent.companyId,
    of: { agentId: agent.id },
    stoppedAs: "budget_exhausted",
    // Where the company is held too, lifting that hold wakes its agents once.
    wakesWhenLifted: stores.companies.status(agent.companyId).pipe(
      Effect.orDie,
      Effect.map(({ heldByBudgetAt }) => heldByBudgetAt === null),
    ),
    hold: (heldAt) => stores.agents.setBudgetHold(agent.id, heldAt),
    spend,
    at,
  });

/** As for an agent; a company's hold applies to all its agents. */
export const applyCompanyBudget = (
  stores: Stores,
  ids: Ids,
  company: Company,
  spend: MonthSpend,
  at: Instant,
): Effect.Effect<Company> =>
  applyBudget(stores, ids, {
    holder: company,
    scope: "company",
    companyId: company.id,
    of: { companyId: company.id },
    stoppedAs: "budget_exhausted",
    wakesWhenLifted: Effect.succeed(true),
    hold: (heldAt) => stores.companies.setBudgetHold(company.id, heldAt),
    spend,
    at,
  });

/** As for an agent; a project's hold applies to the work on its issues, and its agents do other work meanwhile. */
export const applyProjectBudget = (
  stores: Stores,
  ids: Ids,
  project: Project,
  spend: MonthSpend,
  at: Instant,
): Effect.Effect<Project> =>
  applyBudget(stores, ids, {
    holder: project,
    scope: "project",
    companyId: project.companyId,
    of: { projectId: project.id },
    stoppedAs: "project_budget_exhausted",
    wakesWhenLifted: Effect.succeed(true),
    hold: (heldAt) => stores.projects.setBudgetHold(project.id, heldAt),
    spend,
    at,
  });

interface BudgetToApply<H> {
  readonly holder: H;
  readonly scope: BudgetScope;
  readonly companyId: CompanyId;
  readonly of: HeldWork;
  readonly stoppedAs: StopReason;
  /** Asked behind the lock of the company's budget holds. */
  readonly wakesWhenLifted: Effect.Effect<boolean>;
  readonly hold: (heldAt: Instant | null) => Effect.Effect<void>;
  readonly spend: MonthSpend;
  readonly at: Instant;
}

type BudgetAction = Extract<ActivityAction, `budget.${string}`>;

const applyBudget = Effect.fnUntraced(function* <
  H extends Budget & { readonly id: AgentId | CompanyId | ProjectId },
>(
  stores: Stores,
  ids: Ids,
  { holder, scope, companyId, of, stoppedAs, wakesWhenLifted, hold, spend, at }: BudgetToApply<H>,
) {
  const decision = decideBudget(holder, spend, at);
  const log = (action: BudgetAction) =>
    logAction(stores, { companyId, id: holder.id }, bySystem, at, action, {
      scope,
      month: monthOf(at).slice(0, 7),
      spentCents: wholeCents(spend.spentCents),
      budgetCents: holder.budgetMonthlyCents,
    });
  if (decision.alert) {
    yield* stores.costs.noteAlert(holder.id, monthOf(at), holder.budgetMonthlyCents, at);
    yield* log("budget.soft_threshold_crossed");
  }
  if (decision.hold === null) return holder;
  if (decision.hold === "lift") {
    yield* hold(null);
    // Of two budgets that are raised at once neither would wake the agents: each leaves it to the other.
    yield* stores.companies.lockBudgetHolds(companyId);
    yield* log("budget.hold_lifted");
    const endedAt = budgetHolds(holder.heldByBudgetAt, at) ? at : budgetHoldsFrom(at);
    if (yield* wakesWhenLifted) yield* wakeAfterHold(stores, ids, of, companyId, bySystem, at, endedAt);
    return { ...holder, heldByBudgetAt: null };
  }
  yield* hold(at);
  yield* stopRuns(stores, of, stoppedAs, at);
  yield* stores.wakes.cancelPending(of, stoppedAs, at);
  yield* log("budget.hard_threshold_crossed");
  return { ...holder, heldByBudgetAt: at };
});
