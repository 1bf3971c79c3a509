import * as Effect from "effect/Effect";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import { transactAsSystem, type UseCaseContext } from "../../access/unit-of-work.ts";
import { RepositoryUnusable } from "../../model/repositories/repository.ts";
import type { RepositoryId } from "../../model/shared/ids.ts";
import { hostOf } from "./credential-of.ts";

export interface FetchRepository {
  readonly repositoryId: RepositoryId;
  /** A fetch that is younger is used again; default 30. */
  readonly maxAgeSec?: number;
}

/** The ports of a call to a repository's host. */
export interface FetchPorts extends UseCaseContext {
  readonly providers: SecretProviders;
  readonly codeStores: CodeStores;
}

/**
 * Brings the host's branches into the service's store, before a run or a merge. Notes at the repository what is wrong
 * with the host, and that nothing is any more.
 */
export const fetchRepository = (parts: FetchPorts) => {
  const { transactor, codeStores } = parts;
  return ({ repositoryId, ...options }: FetchRepository) =>
    Effect.gen(function* () {
      const repository = yield* transactor.transact(({ repositories }) => repositories.find(repositoryId));
      const recordFetch = (problem: string | null) =>
        problem === repository.problem
          ? Effect.void
          : transactAsSystem(parts, "repositories.fetch", function* (unit) {
              const now = yield* unit.repositories.lock(repositoryId);
              yield* unit.repositories.save({ ...now, problem, checkedAt: unit.at });
            }).pipe(Effect.ignore);
      yield* hostOf(parts, repository).pipe(
        Effect.flatMap((host) => codeStores.fetch(host, options)),
        Effect.mapError((failure) =>
          failure instanceof RepositoryUnusable
            ? failure
            : new RepositoryUnusable(
                { reason: "reason" in failure ? failure.reason : "store" },
                failure.message,
              ),
        ),
        Effect.tapError(({ message }) => recordFetch(message)),
      );
      yield* recordFetch(null);
      return repository;
    });
};
