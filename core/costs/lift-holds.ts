import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { monthOf } from "../shared/instant.ts";
import { applyAgentBudget, applyCompanyBudget, applyProjectBudget } from "./apply-budget.ts";
import { budgetHoldsFrom } from "./budget.ts";

/** The maximum number of holds that one transaction lifts. */
const batch = 100;

/**
 * Lifts the budget holds of earlier months and wakes the agents that can continue, once each: what lifting a wider hold
 * wakes, lifting a narrower one before has left to it.
 */
export const liftHolds = (transactor: Transactor, clock: Clock, ids: Ids) => () =>
  Effect.gen(function* () {
    const agents = transactor.transact((stores) =>
      Effect.gen(function* () {
        const at = clock.now();
        const held = yield* stores.agents.lockHeldBefore(budgetHoldsFrom(at), batch);
        for (const agent of held) {
          const spend = yield* stores.costs.spent(agent.id, monthOf(at));
          yield* applyAgentBudget(stores, ids, agent, spend, at);
        }
        return held.length;
      }),
    );
    const projects = transactor.transact((stores) =>
      Effect.gen(function* () {
        const at = clock.now();
        const held = yield* stores.projects.lockHeldBefore(budgetHoldsFrom(at), batch);
        for (const project of held) {
          const spend = yield* stores.costs.spent(project.id, monthOf(at));
          yield* applyProjectBudget(stores, ids, project, spend, at);
        }
        return held.length;
      }),
    );
    const companies = transactor.transact((stores) =>
      Effect.gen(function* () {
        const at = clock.now();
        const held = yield* stores.companies.lockHeldBefore(budgetHoldsFrom(at), batch);
        for (const company of held) {
          const spend = yield* stores.costs.spent(company.id, monthOf(at));
          yield* applyCompanyBudget(stores, ids, company, spend, at);
        }
        return held.length;
      }),
    );
    while ((yield* projects) === batch);
    while ((yield* agents) === batch);
    while ((yield* companies) === batch);
  });
