import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { CodeStores } from "../../ports/code-stores.ts";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { fetchRepository } from "./fetch-repository.ts";
import { finishMerge } from "./finish-merge.ts";
import type { Merge } from "./merge.ts";

/**
 * Ends merges whose service was killed: the host tells whether it has the commit. Where it does not answer, the merge
 * waits for the next time.
 */
export const recoverMerges =
  (transactor: Transactor, clock: Clock, providers: SecretProviders, codeStores: CodeStores) => () =>
    Effect.gen(function* () {
      const fetch = fetchRepository(transactor, clock, providers, codeStores);
      for (const merge of yield* transactor.transact(({ merges }) => merges.abandoned()))
        yield* recover(merge).pipe(Effect.ignore);

      function recover(merge: Merge) {
        return Effect.gen(function* () {
          const { commit, repositoryId } = merge;
          if (commit === null) return yield* end(merge);
          const { defaultBranch } = yield* fetch({ repositoryId, maxAgeSec: 0 });
          const head = yield* codeStores.head(merge, defaultBranch);
          // A commit that is missing in the store is not at the host.
          const isThere =
            head !== null &&
            (yield* codeStores.isAncestor(merge, commit, head).pipe(Effect.orElseSucceed(() => false)));
          if (!isThere) return yield* end(merge);
          yield* transactor.transact((stores) =>
            finishMerge(stores, { ...merge, commit }, defaultBranch, clock.now()),
          );
        });
      }

      function end(merge: Merge) {
        return transactor.transact(({ merges }) =>
          Effect.flatMap(merges.lock(merge.id), (now) =>
            now?.state === "running" ? merges.save({ ...now, state: "failed" }) : Effect.void,
          ),
        );
      }
    });
