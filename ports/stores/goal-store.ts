import type * as Effect from "effect/Effect";
import type { Goal, GoalNotFound } from "../../core/goals/goal.ts";
import type { CompanyId, GoalId } from "../../core/shared/ids.ts";

export interface GoalStore {
  /** Locks it, after waiting for its present lock. */
  lock(id: GoalId): Effect.Effect<Goal, GoalNotFound>;
  /** Each goal's parent. Holds the goals of the company still until the end of the transaction. */
  lockParents(companyId: CompanyId): Effect.Effect<ReadonlyMap<GoalId, readonly GoalId[]>>;
  insert(goal: Goal): Effect.Effect<void>;
  save(goal: Goal): Effect.Effect<void>;
}
