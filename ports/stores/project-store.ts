import type * as Effect from "effect/Effect";
import type { Project, ProjectNotFound } from "../../core/projects/project.ts";
import type { ProjectId } from "../../core/shared/ids.ts";

export interface ProjectStore {
  /** Waits for whoever holds it. */
  lock(id: ProjectId): Effect.Effect<Project, ProjectNotFound>;
  insert(project: Project): Effect.Effect<void>;
  save(project: Project): Effect.Effect<void>;
}
