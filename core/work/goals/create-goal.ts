import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { Goal, GoalFields } from "../../model/goals/goal.ts";
import type { CompanyId, GoalId } from "../../model/shared/ids.ts";
import { checkGoalReferences } from "./check-goal-references.ts";

export interface CreateGoal extends GoalFields {
  readonly id: GoalId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly title: string;
}

export const createGoal = useCase("goals.create", function* (unit, command: CreateGoal) {
  yield* checkGoalReferences(unit, command.companyId, command.id, command);
  const goal: Goal = {
    id: command.id,
    companyId: command.companyId,
    title: command.title,
    description: command.description ?? null,
    level: command.level ?? "task",
    status: command.status ?? "planned",
    parentId: command.parentId ?? null,
    ownerAgentId: command.ownerAgentId ?? null,
    archivedAt: null,
    createdAt: unit.at,
    updatedAt: unit.at,
  };
  yield* unit.goals.insert(goal);
  yield* unit.log("goal.created", goal, { title: goal.title });
  return goal;
});
