import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { type Actor, actingRun, RunEnded, stopRequested } from "../model/access/caller.ts";

/**
 * Refuses actors whose run has ended or is to be stopped, and prevents both until the commit. Called last, because runs are
 * locked after everything that a unit of work locks.
 */
export const requireRunsMayWrite = Effect.fnUntraced(function* (stores: Stores, actors: readonly Actor[]) {
  const runIds = [...new Set(actors.flatMap((by) => actingRun(by) ?? []))].sort();
  const may = yield* Effect.forEach(runIds, (id) => stores.runs.mayWrite(id), { concurrency: "unbounded" });
  if (may.includes("ended")) yield* Effect.fail(new RunEnded());
  if (may.includes("stopping")) yield* Effect.fail(new RunEnded(undefined, stopRequested));
});
