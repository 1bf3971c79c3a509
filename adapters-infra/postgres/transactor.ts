import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Schedule from "effect/Schedule";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import type { Database } from "./database.ts";
import { isConflict, notReached, refusalOf, statementFailed } from "./database-failure.ts";
import type { EventNews } from "./event-news.ts";
import type { OwnConnection } from "./own-connection.ts";
import { postgresStores } from "./stores/index.ts";
import { Transaction } from "./transaction.ts";

/** The database gave the transaction up for the sake of another; the same work may succeed from its start. */
class Conflict {
  readonly _tag = "Conflict";
}

const attempts = 8;
/** Twice as long each time, and jittered, so that those who met do not meet again. */
const pauses = Schedule.exponential("10 millis").pipe(
  Schedule.modifyDelay(({ duration }) => Effect.sync(() => Duration.times(duration, 0.5 + Math.random()))),
);

export const postgresTransactor = (database: Database): Transactor => ({
  transact: <A, E>(work: (stores: Stores) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    database.connections
      .withOwn((connection) => attemptOnce(connection, database.news, work))
      .pipe(
        Effect.flatten,
        Effect.retry({ schedule: pauses, times: attempts - 1, while: isConflictOf }),
        Effect.catchIf(isConflictOf, () =>
          Effect.die(statementFailed(new Error(`It met other transactions ${attempts} times over.`))),
        ),
      ) as Effect.Effect<A, E>,
});

const isConflictOf = (failure: unknown): failure is Conflict => failure instanceof Conflict;

/** The work in one transaction. */
const attemptOnce = <A, E>(
  connection: OwnConnection,
  news: EventNews,
  work: (stores: Stores) => Effect.Effect<A, E>,
): Effect.Effect<Exit.Exit<A, E | Conflict>> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const transaction = yield* restore(begin(connection)).pipe(
        // Reserved or not, it is in no known state.
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            connection.broken = true;
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
      if (stored && transaction.hasEvents) news.note();
      return stored ? worked : explain<E>(transaction.failure);
    }),
  );

/** Waits until the connection is open, where it is new. */
const begin = (connection: OwnConnection): Effect.Effect<Transaction> =>
  Effect.callback((resume) => {
    connection.sql.reserve().then(
      (sql) => resume(Effect.succeed(new Transaction(connection, sql))),
      (error) => {
        connection.broken = true;
        resume(Effect.die(notReached(error)));
      },
    );
  });

const explain = <E>(failure: unknown): Exit.Exit<never, E | Conflict> => {
  if (isConflict(failure)) return Exit.fail(new Conflict());
  const refusal = refusalOf(failure);
  // The store's port declares the refusal where its statement can run into the constraint.
  return refusal === null ? Exit.die(statementFailed(failure)) : Exit.fail(refusal as E);
};
