import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { Goal } from "../../model/goals/goal.ts";
import type { GoalId } from "../../model/shared/ids.ts";

export interface ArchiveGoal {
  readonly goalId: GoalId;
  readonly by: Actor;
}

export const archiveGoal = useCase("goals.archive", function* (unit, command: ArchiveGoal) {
  const before = yield* unit.goals.lock(command.goalId);
  if (before.archivedAt !== null) return before;
  const after: Goal = { ...before, archivedAt: unit.at, updatedAt: unit.at };
  yield* unit.goals.save(after);
  yield* unit.log("goal.archived", after, {});
  return after;
});
