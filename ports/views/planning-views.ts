import type * as Effect from "effect/Effect";
import type { Goal, GoalNotFound } from "../../core/goals/goal.ts";
import type { Project, ProjectNotFound } from "../../core/projects/project.ts";
import type { CompanyId, GoalId, ProjectId } from "../../core/shared/ids.ts";

export interface PlanningViews {
  /** Newest first; archived ones only where asked for. */
  projects(companyId: CompanyId, archived: boolean): Effect.Effect<readonly Project[]>;
  project(id: ProjectId): Effect.Effect<Project, ProjectNotFound>;
  /** Newest first; archived ones only where asked for. */
  goals(companyId: CompanyId, archived: boolean): Effect.Effect<readonly Goal[]>;
  goal(id: GoalId): Effect.Effect<Goal, GoalNotFound>;
}
