import * as Result from "effect/Result";
import type { Actor } from "../access/caller.ts";
import { NotAllowed, refusal } from "../shared/failure.ts";
import type { AgentId, CompanyId, ProjectId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { Change } from "../shared/patch.ts";

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
  /** Of the work on its issues; 0 means no limit. */
  readonly budgetMonthlyCents: number;
  /** When its budget was used up: no run starts on its issues. */
  readonly heldByBudgetAt: Instant | null;
  readonly archivedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export class ProjectNotFound extends refusal("project_not_found", "not_found", "Project not found.") {}

export class ProjectArchived extends refusal(
  "project_archived",
  "conflict",
  "This project is archived. Restore it to add issues or routines.",
) {}

/** Returns why the project takes no new issue and no new routine, or null. */
export const refusalOfNewWork = (isArchived: boolean): ProjectArchived | null =>
  isArchived ? new ProjectArchived() : null;

/** Agents do not decide about money. */
export const refusalOfBudget = (by: Actor): NotAllowed | null =>
  by.kind === "agent"
    ? new NotAllowed(
        { path: ["budgetMonthlyCents"] },
        "Only operators and owners of the company can set budgets.",
      )
    : null;

/** Refuses a change of the budget by an agent. */
export const maySetBudget = (by: Actor, change: ProjectFields): Result.Result<void, NotAllowed> => {
  const refused = change.budgetMonthlyCents === undefined ? null : refusalOfBudget(by);
  return refused === null ? Result.void : Result.fail(refused);
};

export const projectFields = [
  "name",
  "description",
  "status",
  "leadAgentId",
  "targetDate",
  "budgetMonthlyCents",
] as const;

export type ProjectFields = Change<Project, (typeof projectFields)[number]>;
