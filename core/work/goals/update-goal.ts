import { useCase } from "../../access/unit-of-work.ts";
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

export const updateGoal = useCase("goals.update", function* (unit, command: UpdateGoal) {
  const before = yield* unit.goals.lock(command.goalId);
  yield* checkGoalReferences(unit, before.companyId, before.id, command);
  const { after, changed } = patched(before, command, goalFields, unit.at);
  if (changed.length === 0) return before;
  yield* unit.goals.save(after);
  yield* unit.log("goal.updated", after, { changed, differences: differencesOf(before, after, changed) });
  return after;
});
