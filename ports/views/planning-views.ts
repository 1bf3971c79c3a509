import type * as Effect from "effect/Effect";
import type { Goal, GoalNotFound } from "../../core/goals/goal.ts";
import type { Project, ProjectNotFound } from "../../core/projects/project.ts";
import type { CompanyId, GoalId, ProjectId } from "../../core/shared/ids.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

export interface PlanningViews {
  /** Newest first; archived ones on request only. */
  projects(
    companyId: CompanyId,
    archived: boolean,
    page: PageRequest,
  ): Effect.Effect<Page<Project>, CursorInvalid>;
  project(id: ProjectId): Effect.Effect<Project, ProjectNotFound>;
  /** Newest first; archived ones on request only. */
  goals(companyId: CompanyId, archived: boolean, page: PageRequest): Effect.Effect<Page<Goal>, CursorInvalid>;
  goal(id: GoalId): Effect.Effect<Goal, GoalNotFound>;
}
