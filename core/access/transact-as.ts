import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { Batching, Stores, Transactor } from "../../ports/transactor.ts";
import type { Actor, RunEnded } from "../model/access/caller.ts";
import { requireRunsMayWrite } from "./require-runs-may-write.ts";

/** The steps of a use case. */
type Steps<Step extends Effect.Effect<unknown, unknown>, A> = (stores: Stores) => Generator<Step, A, never>;

const run = <Step extends Effect.Effect<unknown, unknown>, A>(steps: Steps<Step, A>) =>
  Effect.fnUntraced(steps) as (stores: Stores) => Effect.Effect<A, Effect.Error<Step>>;

/** Runs the steps in one transaction. */
export const transact = <Step extends Effect.Effect<unknown, unknown>, A>(
  transactor: Transactor,
  steps: Steps<Step, A>,
): Effect.Effect<A, Effect.Error<Step>> => transactor.transact(run(steps));

/**
 * As above, for the actor. Every writing verb that agents may use calls it: an agent whose run has ended, or is to be
 * stopped, writes nothing, however long its request waited, and a run neither ends nor is stopped before the commit. The run
 * is checked last, because runs are locked after everything that the steps lock.
 */
export const transactAs = <Step extends Effect.Effect<unknown, unknown>, A>(
  transactor: Transactor,
  by: Actor,
  steps: Steps<Step, A>,
): Effect.Effect<A, Effect.Error<Step> | RunEnded> =>
  transactor.transact((stores) => Effect.tap(run(steps)(stores), () => requireRunsMayWrite(stores, [by])));

/**
 * As above, for commands that share transactions; a refused one has written nothing. They work at the same time, or in
 * turn, where each sees what those before it have saved.
 */
export const transactInBatchesAs = <Command extends { readonly by: Actor }, A, E>(
  transactor: Transactor,
  { inTurn = false, ...batching }: Batching<Command> & { readonly inTurn?: boolean },
  work: (stores: Stores, command: Command) => Effect.Effect<A, E>,
): ((command: Command) => Effect.Effect<A, E | RunEnded>) =>
  transactor.transactInBatches(
    batching,
    Effect.fnUntraced(function* (stores, commands) {
      const results = yield* Effect.forEach(commands, (command) => Effect.result(work(stores, command)), {
        concurrency: inTurn ? 1 : "unbounded",
      });
      const done = commands.filter((_, n) => Result.isSuccess(results[n]!));
      yield* requireRunsMayWrite(
        stores,
        done.map(({ by }) => by),
      );
      return results;
    }),
  );
