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
): Effect.Effect<A, E | RunEnded> => transactAsEach(transactor, [by], work);

/** As above, for several actors: none of them writes if the run of one has ended. */
export const transactAsEach = <A, E>(
  transactor: Transactor,
  actors: readonly Actor[],
  work: (stores: Stores) => Effect.Effect<A, E>,
): Effect.Effect<A, E | RunEnded> =>
  transactor.transact((stores) => Effect.tap(work(stores), () => requireLiveRuns(stores, actors)));

const requireLiveRuns = Effect.fnUntraced(function* (stores: Stores, actors: readonly Actor[]) {
  const runIds = [...new Set(actors.flatMap((by) => actingRun(by) ?? []))].sort();
  const live = yield* Effect.forEach(runIds, (id) => stores.runs.isActive(id), { concurrency: "unbounded" });
  if (live.includes(false)) yield* Effect.fail(new RunEnded());
});
