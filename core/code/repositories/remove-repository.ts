import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { RepositoryId } from "../../model/shared/ids.ts";

export interface RemoveRepository {
  readonly repositoryId: RepositoryId;
  readonly by: Actor;
}

/** Takes a repository from its project. What was kept of its issues stays on the disk; a store without work is deleted. */
export const removeRepository =
  (transactor: Transactor, clock: Clock, codeStores: CodeStores) => (command: RemoveRepository) =>
    Effect.gen(function* () {
      const { repository, holdsWork } = yield* transact(transactor, function* (stores) {
        const before = yield* stores.repositories.lock(command.repositoryId);
        const at = clock.now();
        yield* stores.repositories.save({ ...before, removedAt: at, updatedAt: at });
        yield* logAction(stores, before, command.by, at, "repository.removed", {
          projectId: before.projectId,
          url: before.url,
        });
        return { repository: before, holdsWork: yield* stores.repositories.holdsWork(before.id) };
      });
      if (!holdsWork)
        yield* codeStores.remove({ companyId: repository.companyId, repositoryId: repository.id });
    });
