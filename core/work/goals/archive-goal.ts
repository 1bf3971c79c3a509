import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { Goal } from "../../model/goals/goal.ts";
import type { GoalId } from "../../model/shared/ids.ts";

export const archiveGoal =
  (transactor: Transactor, clock: Clock) => (command: { readonly goalId: GoalId; readonly by: Actor }) =>
    transact(transactor, function* (stores) {
      const before = yield* stores.goals.lock(command.goalId);
      if (before.archivedAt !== null) return before;
      const at = clock.now();
      const after: Goal = { ...before, archivedAt: at, updatedAt: at };
      yield* stores.goals.save(after);
      yield* logAction(stores, after, command.by, at, "goal.archived", {});
      return after;
    });
