import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { GitHosts } from "../../../ports/git-hosts.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { Stores, Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
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
import { checkHost } from "./check-host.ts";
import { checkRepositoryReferences } from "./check-repository-references.ts";

export interface UpdateRepository extends RepositoryFields {
  readonly repositoryId: RepositoryId;
  readonly by: Actor;
}

/** Changes a repository, and checks its host again even if nothing is changed. */
export const updateRepository =
  (
    transactor: Transactor,
    clock: Clock,
    providers: SecretProviders,
    codeStores: CodeStores,
    gitHosts: GitHosts,
  ) =>
  (command: UpdateRepository) =>
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
      const decide = (stores: Stores) =>
        Effect.gen(function* () {
          const { projectId } = yield* stores.repositories.find(command.repositoryId);
          yield* stores.projects.lock(projectId).pipe(Effect.orDie);
          const before = yield* stores.repositories.lock(command.repositoryId);
          const decided = patched(before, change, repositoryFields, clock.now());
          yield* Effect.fromResult(refusalOfMove(before, decided.after, command));
          yield* checkRepositoryReferences(stores, decided.after);
          return decided;
        });
      const { after: asked } = yield* transactor.transact(decide);
      yield* checkHost({ transactor, providers, codeStores, gitHosts }, asked);
      return yield* transact(transactor, function* (stores) {
        // Another change meanwhile stays, but for the fields of this one.
        const { after, changed } = yield* decide(stores);
        const at = clock.now();
        const checked: Repository = { ...after, checkedAt: at, problem: null };
        yield* stores.repositories.save(checked);
        if (changed.length > 0)
          yield* logAction(stores, after, command.by, at, "repository.updated", { changed });
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
