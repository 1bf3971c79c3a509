import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { Project } from "../../model/projects/project.ts";
import type { ProjectId } from "../../model/shared/ids.ts";

export const archiveProject =
  (transactor: Transactor, clock: Clock) =>
  (command: { readonly projectId: ProjectId; readonly by: Actor }) =>
    transact(transactor, function* (stores) {
      const before = yield* stores.projects.lock(command.projectId);
      if (before.archivedAt !== null) return before;
      const at = clock.now();
      const after: Project = { ...before, archivedAt: at, updatedAt: at };
      yield* stores.projects.save(after);
      yield* logAction(stores, after, command.by, at, "project.archived", {});
      return after;
    });
