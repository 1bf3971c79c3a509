import { refusal } from "../shared/failure.ts";
import type { AgentId, CompanyId, ProjectId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

export const projectStatuses = ["backlog", "planned", "in_progress", "completed", "cancelled"] as const;

export type ProjectStatus = (typeof projectStatuses)[number];

export interface Project {
  readonly id: ProjectId;
  readonly companyId: CompanyId;
  readonly name: string;
  readonly description: string | null;
  readonly status: ProjectStatus;
  readonly leadAgentId: AgentId | null;
  /** A day, `YYYY-MM-DD`. */
  readonly targetDate: string | null;
  readonly archivedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export class ProjectNotFound extends refusal("project_not_found", "not_found", "There is no such project.") {}

export class ProjectArchived extends refusal(
  "project_archived",
  "conflict",
  "The project is archived and takes no new issues and routines.",
) {}

export interface ProjectFields {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly status?: ProjectStatus | undefined;
  readonly leadAgentId?: AgentId | null | undefined;
  readonly targetDate?: string | null | undefined;
}
