import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import { differencesOf } from "../activity/differences.ts";
import { logAction } from "../activity/log-action.ts";
import type { GoalId } from "../shared/ids.ts";
import { patched } from "../shared/patch.ts";
import { checkGoalReferences } from "./check-goal-references.ts";
import { type GoalFields, goalFields } from "./goal.ts";

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
