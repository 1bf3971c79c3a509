import type * as Effect from "effect/Effect";
import type { Project, ProjectNotFound } from "../../core/projects/project.ts";
import type { ProjectId } from "../../core/shared/ids.ts";

export interface ProjectStore {
  /** Waits for a concurrent lock and takes it. */
  lock(id: ProjectId): Effect.Effect<Project, ProjectNotFound>;
  /** Returns false where there is no such project. */
  isArchived(id: ProjectId): Effect.Effect<boolean>;
  insert(project: Project): Effect.Effect<void>;
  save(project: Project): Effect.Effect<void>;
}
