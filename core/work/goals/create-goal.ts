import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactAs } from "../../access/transact-as.ts";
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

export const createGoal = (transactor: Transactor, clock: Clock) => (command: CreateGoal) =>
  transactAs(transactor, command.by, function* (stores) {
    const at = clock.now();
    yield* checkGoalReferences(stores, command.companyId, command.id, command);
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
      createdAt: at,
      updatedAt: at,
    };
    yield* stores.goals.insert(goal);
    yield* logAction(stores, goal, command.by, at, "goal.created", { title: goal.title });
    return goal;
  });
