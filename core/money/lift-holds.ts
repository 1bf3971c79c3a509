import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { transactAsSystem, type UnitOfWork, type UseCaseContext } from "../access/unit-of-work.ts";
import { budgetHoldsFrom, type MonthSpend } from "../model/costs/budget.ts";
import type { AgentId, CompanyId, ProjectId } from "../model/shared/ids.ts";
import { type Instant, monthOf } from "../model/shared/instant.ts";
import { applyAgentBudget, applyCompanyBudget, applyProjectBudget } from "./apply-budget.ts";

/** The maximum number of holds that one transaction lifts. */
const batch = 100;

/**
 * Lifts the budget holds of earlier months and wakes the agents that can continue, once each: a narrower hold leaves the agents
 * under a wider one to be woken when that is lifted.
 */
export const liftHolds = (context: UseCaseContext) => () => {
  const lift = <Held extends { readonly id: AgentId | CompanyId | ProjectId }>(
    lockHeld: (stores: Stores, before: Instant) => Effect.Effect<readonly Held[]>,
    apply: (unit: UnitOfWork, held: Held, spend: MonthSpend) => Effect.Effect<unknown>,
  ) => {
    const once = transactAsSystem(context, "costs.liftHolds", function* (unit) {
      const all = yield* lockHeld(unit, budgetHoldsFrom(unit.at));
      for (const held of all) {
        const spend = yield* unit.costs.spent(held.id, monthOf(unit.at));
        yield* apply(unit, held, spend);
      }
      return all.length;
    });
    return Effect.repeat(once, { while: (count) => count === batch });
  };
  return Effect.gen(function* () {
    yield* lift(({ projects }, at) => projects.lockHeldBefore(at, batch), applyProjectBudget);
    yield* lift(({ agents }, at) => agents.lockHeldBefore(at, batch), applyAgentBudget);
    yield* lift(({ companies }, at) => companies.lockHeldBefore(at, batch), applyCompanyBudget);
  });
};
