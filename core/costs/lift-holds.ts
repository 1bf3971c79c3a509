import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { monthOf } from "../shared/instant.ts";
import { settleAgentBudget, settleCompanyBudget } from "./settle-budget.ts";

/**
 * A new month has begun: lifts the budget holds of months before, and wakes whoever can go on, once. Companies first, each
 * kind in a transaction of its own. Answers how many were looked at.
 */
export const liftHolds = (transactor: Transactor, clock: Clock, ids: Ids) => (limit: number) =>
  Effect.gen(function* () {
    const companies = yield* transactor.transact((stores) =>
      Effect.gen(function* () {
        const at = clock.now();
        const held = yield* stores.companies.lockHeldBefore(monthOf(at), limit);
        for (const company of held) {
          const spend = yield* stores.costs.spent(company.id, monthOf(at));
          yield* settleCompanyBudget(stores, ids, company, spend, at);
        }
        return held.length;
      }),
    );
    const agents = yield* transactor.transact((stores) =>
      Effect.gen(function* () {
        const at = clock.now();
        const held = yield* stores.agents.lockHeldBefore(monthOf(at), limit);
        for (const agent of held) {
          const spend = yield* stores.costs.spent(agent.id, monthOf(at));
          yield* settleAgentBudget(stores, ids, agent, spend, at);
        }
        return held.length;
      }),
    );
    return companies + agents;
  });
