import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";

/** The context of use cases that are parts of one transaction: they commit with it, or not at all. */
export const within = <Context extends UseCaseContext>(context: Context, stores: Stores): Context => ({
  ...context,
  transactor: {
    transact: (work) => work(stores),
    transactInBatches: (_, work) => (command) =>
      work(stores, [command]).pipe(Effect.flatMap(([result]) => Effect.fromResult(result!))),
  },
});
