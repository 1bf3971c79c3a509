import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactAs } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import { differencesOf } from "../../model/activity/differences.ts";
import { type GoalFields, goalFields } from "../../model/goals/goal.ts";
import type { GoalId } from "../../model/shared/ids.ts";
import { patched } from "../../model/shared/patch.ts";
import { checkGoalReferences } from "./check-goal-references.ts";

export interface UpdateGoal extends GoalFields {
  readonly goalId: GoalId;
  readonly by: Actor;
}

export const updateGoal = (transactor: Transactor, clock: Clock) => (command: UpdateGoal) =>
  transactAs(transactor, command.by, function* (stores) {
    const before = yield* stores.goals.lock(command.goalId);
    yield* checkGoalReferences(stores, before.companyId, before.id, command);
    const at = clock.now();
    const { after, changed } = patched(before, command, goalFields, at);
    if (changed.length === 0) return before;
    yield* stores.goals.save(after);
    yield* logAction(stores, after, command.by, at, "goal.updated", {
      changed,
      differences: differencesOf(before, after, changed),
    });
    return after;
  });
