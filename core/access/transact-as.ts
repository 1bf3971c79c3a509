import * as Effect from "effect/Effect";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { type Actor, actingRun, RunEnded } from "./caller.ts";

/**
 * Runs `work` in one transaction for the actor. Every writing verb that agents may use passes here: a run that has ended
 * writes no more, however long its request had waited, and a live one cannot end before the commit. The run is looked at
 * last, because runs are locked behind what the work locks.
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
