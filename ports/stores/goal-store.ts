import type * as Effect from "effect/Effect";
import type { Goal, GoalNotFound } from "../../core/model/goals/goal.ts";
import type { CompanyId, GoalId } from "../../core/model/shared/ids.ts";

export interface GoalStore {
  /** Waits for a concurrent lock and takes it. */
  lock(id: GoalId): Effect.Effect<Goal, GoalNotFound>;
  /** Each goal's parent. Locks the company's goals against changes until the end of the transaction. */
  lockParents(companyId: CompanyId): Effect.Effect<ReadonlyMap<GoalId, readonly GoalId[]>>;
  insert(goal: Goal): Effect.Effect<void>;
  save(goal: Goal): Effect.Effect<void>;
}
