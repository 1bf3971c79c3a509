import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import type { Database } from "./database.ts";
import { isConflict, notReached, refusalOf, statementFailed } from "./database-failure.ts";
import type { Lane } from "./lanes.ts";
import { postgresStores } from "./stores/index.ts";
import { Transaction } from "./transaction.ts";

const attempts = 8;
const firstPauseMs = 10;

export const postgresTransactor = (database: Database): Transactor => ({
  transact: <A, E>(work: (stores: Stores) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.gen(function* () {
      for (let attempt = 1; ; attempt++) {
        const exit = yield* database.lanes.use((lane) => attemptOnce(lane, work));
        if (exit !== "conflict" || attempt === attempts) return yield* settle(exit);
        // Jittered, so that those who met do not meet again.
        yield* Effect.sleep(firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random()));
      }
    }),
});

const settle = <A, E>(exit: Exit.Exit<A, E> | "conflict"): Effect.Effect<A, E> =>
  exit === "conflict"
    ? Effect.die(statementFailed(new Error(`It met other transactions ${attempts} times over.`)))
    : exit;

/** The work in one transaction; "conflict" where the database gave it up for the sake of another. */
const attemptOnce = <A, E>(
  lane: Lane,
  work: (stores: Stores) => Effect.Effect<A, E>,
): Effect.Effect<Exit.Exit<A, E> | "conflict"> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const transaction = yield* restore(begin(lane)).pipe(
        // Reserved or not, it is in no known state.
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            lane.broken = true;
          }),
        ),
      );
      // Suspended: what is thrown before there is an effect leaves no transaction open either.
      const worked = yield* Effect.exit(restore(Effect.suspend(() => work(postgresStores(transaction)))));
      if (Exit.isFailure(worked)) {
        // Asked now: the rollback may add failures of its own.
        const failure = transaction.failure;
        yield* Effect.promise(() => transaction.rollback());
        transaction.release();
        // A refusal was decided on what had been read well; an interruption wants no answer.
        return failure === null || Exit.hasFails(worked) || !Exit.hasDies(worked)
          ? worked
          : explain<E>(failure);
      }
      const stored = yield* Effect.promise(() => transaction.commit());
      transaction.release();
      return stored ? worked : explain<E>(transaction.failure);
    }),
  );

/** Waits for the lane to connect, where it is new. */
const begin = (lane: Lane): Effect.Effect<Transaction> =>
  Effect.callback((resume) => {
    lane.sql.reserve().then(
      (sql) => resume(Effect.succeed(new Transaction(lane, sql))),
      (error) => {
        lane.broken = true;
        resume(Effect.die(notReached(error)));
      },
    );
  });

const explain = <E>(failure: unknown): Exit.Exit<never, E> | "conflict" => {
  if (isConflict(failure)) return "conflict";
  const refusal = refusalOf(failure);
  // The store's port declares the refusal where its statement can run into the constraint.
  return refusal === null ? Exit.die(statementFailed(failure)) : Exit.fail(refusal as E);
};
