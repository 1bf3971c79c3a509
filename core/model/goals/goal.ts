import { refusal } from "../shared/failure.ts";
import type { AgentId, CompanyId, GoalId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { Change } from "../shared/patch.ts";

export const goalLevels = ["company", "team", "agent", "task"] as const;

export type GoalLevel = (typeof goalLevels)[number];

export const goalStatuses = ["planned", "active", "achieved", "cancelled"] as const;

export type GoalStatus = (typeof goalStatuses)[number];

export interface Goal {
  readonly id: GoalId;
  readonly companyId: CompanyId;
  readonly title: string;
  readonly description: string | null;
  readonly level: GoalLevel;
  readonly status: GoalStatus;
  readonly parentId: GoalId | null;
  readonly ownerAgentId: AgentId | null;
  readonly archivedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export class GoalNotFound extends refusal("goal_not_found", "not_found", "Goal not found.") {}

export const goalFields = ["title", "description", "level", "status", "parentId", "ownerAgentId"] as const;

export type GoalFields = Change<Goal, (typeof goalFields)[number]>;
