import * as Effect from "effect/Effect";
import { transact, type UnitOfWork } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import {
  checkedDirectory,
  checkedFolders,
  checkedUrl,
  type Repository,
  type RepositoryFields,
  repositoryFields,
} from "../../model/repositories/repository.ts";
import { isElsewhere, secretNamedAgain } from "../../model/shared/destination.ts";
import type { RepositoryId } from "../../model/shared/ids.ts";
import { patched } from "../../model/shared/patch.ts";
import { type CheckPorts, checkHost } from "./check-host.ts";
import { checkRepositoryReferences } from "./check-repository-references.ts";

export interface UpdateRepository extends RepositoryFields {
  readonly repositoryId: RepositoryId;
  readonly by: Actor;
}

/** Changes a repository, and checks its host again even if nothing is changed. */
export const updateRepository = (parts: CheckPorts) => (command: UpdateRepository) =>
  Effect.gen(function* () {
    const change: RepositoryFields = {
      ...command,
      ...(command.url === undefined ? {} : { url: yield* Effect.fromResult(checkedUrl(command.url)) }),
      ...(command.hostApiUrl == null
        ? {}
        : { hostApiUrl: yield* Effect.fromResult(checkedUrl(command.hostApiUrl, "hostApiUrl")) }),
      ...(command.directory == null
        ? {}
        : { directory: yield* Effect.fromResult(checkedDirectory(command.directory)) }),
      ...(command.sparseFolders == null
        ? {}
        : { sparseFolders: yield* Effect.fromResult(checkedFolders(command.sparseFolders)) }),
    };
    const decide = Effect.fnUntraced(function* (unit: UnitOfWork) {
      const { projectId } = yield* unit.repositories.find(command.repositoryId);
      yield* unit.projects.lock(projectId).pipe(Effect.orDie);
      const before = yield* unit.repositories.lock(command.repositoryId);
      const decided = patched(before, change, repositoryFields, unit.at);
      yield* Effect.fromResult(refusalOfMove(before, decided.after, command));
      yield* checkRepositoryReferences(unit, decided.after);
      return decided;
    });
    const { after: asked } = yield* transact(parts, "repositories.update", command.by, function* (unit) {
      return yield* decide(unit);
    });
    yield* checkHost(parts, asked);
    return yield* transact(parts, "repositories.update", command.by, function* (unit) {
      // A concurrent change stays, except in the fields of this one.
      const { after, changed } = yield* decide(unit);
      const { at } = unit;
      const checked: Repository = { ...after, checkedAt: at, problem: null };
      yield* unit.repositories.save(checked);
      if (changed.length > 0) yield* unit.log("repository.updated", after, { changed });
      return checked;
    });
  });

/** The credential goes to the repository's address and to the host's interface. */
const refusalOfMove = (before: Repository, after: Repository, { credentialSecretId }: UpdateRepository) =>
  secretNamedAgain(["credentialSecretId"], {
    isMoved:
      before.credentialSecretId !== null &&
      (isElsewhere(before.url, after.url) ||
        (after.hostApiUrl !== null &&
          isElsewhere(before.hostApiUrl, after.hostApiUrl) &&
          isElsewhere(before.url, after.hostApiUrl))),
    isNamed: credentialSecretId !== undefined,
  });
