import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { RepositoryUnusable } from "../../model/repositories/repository.ts";
import type { RepositoryId } from "../../model/shared/ids.ts";
import { hostOf } from "./credential-of.ts";

export interface FetchRepository {
  readonly repositoryId: RepositoryId;
  /** A fetch that is younger is used again; default 30. */
  readonly maxAgeSec?: number;
}

/**
 * Brings the host's branches into the service's store, before a run or a merge. Notes at the repository what is wrong
 * with the host, and that nothing is any more.
 */
export const fetchRepository =
  (transactor: Transactor, clock: Clock, providers: SecretProviders, codeStores: CodeStores) =>
  ({ repositoryId, ...options }: FetchRepository) =>
    Effect.gen(function* () {
      const repository = yield* transactor.transact(({ repositories }) => repositories.find(repositoryId));
      const note = (problem: string | null) =>
        problem === repository.problem
          ? Effect.void
          : transactor
              .transact(({ repositories }) =>
                Effect.flatMap(repositories.lock(repositoryId), (now) =>
                  repositories.save({ ...now, problem, checkedAt: clock.now() }),
                ),
              )
              .pipe(Effect.ignore);
      yield* hostOf(transactor, providers, repository).pipe(
        Effect.flatMap((host) => codeStores.fetch(host, options)),
        Effect.mapError((failure) =>
          failure instanceof RepositoryUnusable
            ? failure
            : new RepositoryUnusable(
                { reason: "reason" in failure ? failure.reason : "store" },
                failure.message,
              ),
        ),
        Effect.tapError(({ message }) => note(message)),
      );
      yield* note(null);
      return repository;
    });
