import * as Effect from "effect/Effect";
import type { Stores, Transactor } from "../../ports/transactor.ts";

/** A transactor for use cases that are parts of one transaction: they commit with it, or not at all. */
export const within = (stores: Stores): Transactor => ({
  transact: (work) => work(stores),
  transactInBatches: (_, work) => (command) =>
    work(stores, [command]).pipe(Effect.flatMap(([result]) => Effect.fromResult(result!))),
});
