import * as Effect from "effect/Effect";
import type { CodeStores } from "../../../ports/code-stores.ts";
import { transact, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { RepositoryId } from "../../model/shared/ids.ts";

export interface RemoveRepository {
  readonly repositoryId: RepositoryId;
  readonly by: Actor;
}

/** Takes a repository from its project. What was kept of its issues stays on the disk; a store without work is deleted. */
export const removeRepository =
  (context: UseCaseContext, codeStores: CodeStores) => (command: RemoveRepository) =>
    Effect.gen(function* () {
      const { repository, holdsWork } = yield* transact(
        context,
        "repositories.remove",
        command.by,
        function* (unit) {
          const before = yield* unit.repositories.lock(command.repositoryId);
          const { at } = unit;
          yield* unit.repositories.save({ ...before, removedAt: at, updatedAt: at });
          yield* unit.log("repository.removed", before, {
            projectId: before.projectId,
            url: before.url,
          });
          return { repository: before, holdsWork: yield* unit.repositories.holdsWork(before.id) };
        },
      );
      if (!holdsWork)
        yield* codeStores.remove({ companyId: repository.companyId, repositoryId: repository.id });
    });
