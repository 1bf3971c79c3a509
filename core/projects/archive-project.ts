import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { transact } from "../access/transact-as.ts";
import { logAction } from "../activity/log-action.ts";
import type { ProjectId } from "../shared/ids.ts";
import type { Project } from "./project.ts";

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
