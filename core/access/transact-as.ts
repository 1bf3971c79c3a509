import * as Effect from "effect/Effect";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { type Actor, actingRun, RunEnded } from "./caller.ts";

/**
 * Runs `work` in one transaction for the actor. Every writing verb that agents may use calls it: an agent whose run has
 * ended writes nothing, however long its request waited, and a live run cannot end before the commit. The run is
 * checked last, because runs are locked after everything that the work locks.
 */
export const transactAs = <A, E>(
  transactor: Transactor,
  by: Actor,
  work: (stores: Stores) => Effect.Effect<A, E>,
): Effect.Effect<A, E | RunEnded> =>
  transactor.transact((stores) => Effect.tap(work(stores), () => requireLiveRun(stores, by)));

const requireLiveRun = Effect.fnUntraced(function* (stores: Stores, by: Actor) {
  const runId = actingRun(by);
  if (runId !== null && !(yield* stores.runs.isActive(runId))) yield* Effect.fail(new RunEnded());
});
