import * as Effect from "effect/Effect";
import type { FetchPorts } from "./fetch-repository.ts";

/**
 * Repairs, packs and measures the stores of this service, one after the other: removes what killed processes left, and never what a
 * workspace borrows. Reports the store that cannot be repaired, after the others.
 */
export const maintainStores =
  ({ transactor, codeStores }: FetchPorts) =>
  () =>
    Effect.gen(function* () {
      const all = yield* transactor.transact(({ repositories }) => repositories.all());
      const failed: string[] = [];
      for (const of of all)
        yield* codeStores.repair(of).pipe(
          Effect.andThen(codeStores.maintain(of)),
          Effect.andThen(codeStores.sizes(of)),
          Effect.andThen(({ sharedBytes, capturedBytes }) =>
            transactor.transact(({ repositories }) =>
              repositories.recordStoreBytes(of.repositoryId, sharedBytes + capturedBytes),
            ),
          ),
          Effect.catch(({ message }) =>
            Effect.sync(() => {
              failed.push(`${of.repositoryId}: ${message}`);
            }),
          ),
        );
      if (failed.length > 0) yield* Effect.fail(new Error(failed.join(" ")));
    });
