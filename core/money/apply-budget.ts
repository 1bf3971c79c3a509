import * as Effect from "effect/Effect";
import type { WorkOnHold } from "../../ports/stores/wake-store.ts";
import { asSystem, type UnitOfWork } from "../access/unit-of-work.ts";
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
  unit: UnitOfWork,
  agent: A,
  spend: MonthSpend,
): Effect.Effect<A> =>
  applyBudget(unit, {
    subject: agent,
    scope: "agent",
    companyId: agent.companyId,
    of: { agentId: agent.id },
    stoppedAs: "budget_exhausted",
    // If the company is on hold too, lifting that hold wakes its agents once.
    wakesWhenLifted: unit.companies.status(agent.companyId).pipe(
      Effect.orDie,
      Effect.map(({ heldByBudgetAt }) => heldByBudgetAt === null),
    ),
    hold: (heldAt) => unit.agents.setBudgetHold(agent.id, heldAt),
    spend,
  });

/** As for an agent; a company's hold applies to all its agents. */
export const applyCompanyBudget = (
  unit: UnitOfWork,
  company: Company,
  spend: MonthSpend,
): Effect.Effect<Company> =>
  applyBudget(unit, {
    subject: company,
    scope: "company",
    companyId: company.id,
    of: { companyId: company.id },
    stoppedAs: "budget_exhausted",
    wakesWhenLifted: Effect.succeed(true),
    hold: (heldAt) => unit.companies.setBudgetHold(company.id, heldAt),
    spend,
  });

/** As for an agent; a project's hold applies to the work on its issues, and its agents do other work meanwhile. */
export const applyProjectBudget = (
  unit: UnitOfWork,
  project: Project,
  spend: MonthSpend,
): Effect.Effect<Project> =>
  applyBudget(unit, {
    subject: project,
    scope: "project",
    companyId: project.companyId,
    of: { projectId: project.id },
    stoppedAs: "project_budget_exhausted",
    wakesWhenLifted: Effect.succeed(true),
    hold: (heldAt) => unit.projects.setBudgetHold(project.id, heldAt),
    spend,
  });

interface BudgetToApply<H> {
  readonly subject: H;
  readonly scope: BudgetScope;
  readonly companyId: CompanyId;
  readonly of: WorkOnHold;
  readonly stoppedAs: StopReason;
  /** Asked behind the lock of the company's budget holds. */
  readonly wakesWhenLifted: Effect.Effect<boolean>;
  readonly hold: (heldAt: Instant | null) => Effect.Effect<void>;
  readonly spend: MonthSpend;
}

type BudgetAction = Extract<ActivityAction, `budget.${string}`>;

const applyBudget = Effect.fnUntraced(function* <
  H extends Budget & { readonly id: AgentId | CompanyId | ProjectId },
>(
  applied: UnitOfWork,
  { subject, scope, companyId, of, stoppedAs, wakesWhenLifted, hold, spend }: BudgetToApply<H>,
) {
  const unit = asSystem(applied);
  const { at } = unit;
  const decision = decideBudget(subject, spend, at);
  const log = (action: BudgetAction) =>
    unit.log(
      action,
      { companyId, id: subject.id },
      {
        scope,
        month: monthOf(at).slice(0, 7),
        spentCents: wholeCents(spend.spentCents),
        budgetCents: subject.budgetMonthlyCents,
      },
    );
  if (decision.alert) {
    yield* unit.costs.recordAlert(subject.id, monthOf(at), subject.budgetMonthlyCents, at);
    yield* log("budget.soft_threshold_crossed");
  }
  if (decision.hold === null) return subject;
  if (decision.hold === "lift") {
    yield* hold(null);
    // Otherwise, of two budgets that are raised at once neither would wake the agents: each would leave it to the other.
    yield* unit.companies.lockBudgetHolds(companyId);
    yield* log("budget.hold_lifted");
    const endedAt = budgetHolds(subject.heldByBudgetAt, at) ? at : budgetHoldsFrom(at);
    if (yield* wakesWhenLifted) yield* wakeAfterHold(unit, of, companyId, endedAt);
    return { ...subject, heldByBudgetAt: null };
  }
  yield* hold(at);
  yield* stopRuns(unit, of, stoppedAs);
  yield* unit.wakes.cancelPending(of, stoppedAs, at);
  yield* log("budget.hard_threshold_crossed");
  return { ...subject, heldByBudgetAt: at };
});
