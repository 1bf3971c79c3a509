import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { Project } from "../../model/projects/project.ts";
import type { ProjectId } from "../../model/shared/ids.ts";

export interface ArchiveProject {
  readonly projectId: ProjectId;
  readonly by: Actor;
}

export const archiveProject = useCase("projects.archive", function* (unit, command: ArchiveProject) {
  const before = yield* unit.projects.lock(command.projectId);
  if (before.archivedAt !== null) return before;
  const after: Project = { ...before, archivedAt: unit.at, updatedAt: unit.at };
  yield* unit.projects.save(after);
  yield* unit.log("project.archived", after, {});
  return after;
});
