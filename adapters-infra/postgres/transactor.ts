import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Result from "effect/Result";
import * as Schedule from "effect/Schedule";
import { batchRequests } from "../../core/access/batch-requests.ts";
import type { Batching, Stores, Transactor } from "../../ports/transactor.ts";
import type { Database } from "./database.ts";
import { isConflict, refusalOf, statementFailed, unreachable } from "./database-failure.ts";
import type { EventNews } from "./event-news.ts";
import type { OwnConnection } from "./own-connection.ts";
import { postgresStores } from "./stores/index.ts";
import { Transaction } from "./transaction.ts";

/** The database aborted the transaction in favour of another; a retry may succeed. */
class Conflict {
  readonly _tag = "Conflict";
}

const attempts = 8;
/** Each pause doubles and is jittered, so that conflicting transactions do not collide again. */
const pauses = Schedule.exponential("10 millis").pipe(
  Schedule.modifyDelay(({ duration }) => Effect.sync(() => Duration.times(duration, 0.5 + Math.random()))),
);

export const postgresTransactor = (database: Database): Transactor =>
  transactorOf(
    <A, E>(work: (stores: Stores) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
      database.connections
        .withOwn((connection) => attemptOnce(connection, database.news, work))
        .pipe(
          Effect.flatten,
          Effect.retry({ schedule: pauses, times: attempts - 1, while: isConflictOf }),
          Effect.catchIf(isConflictOf, () =>
            Effect.die(
              statementFailed(new Error(`It conflicted with other transactions ${attempts} times.`)),
            ),
          ),
        ) as Effect.Effect<A, E>,
  );

/** The most commands of one transaction, which keeps locks short. */
export const mostInBatch = 64;

/** Makes batches of the commands that wait for a transaction. */
export const transactorOf = (transact: Transactor["transact"]): Transactor => ({
  transact,
  transactInBatches: <Command, A, E, F>(
    batching: Batching<Command>,
    work: (stores: Stores, commands: readonly Command[]) => Effect.Effect<readonly Result.Result<A, E>[], F>,
  ) =>
    batchRequests<Command, A, E | F>({
      ...batching,
      most: mostInBatch,
      carryOut: (commands) =>
        transact((stores) => work(stores, commands)).pipe(
          Effect.map((results) => results.map(Effect.fromResult)),
        ),
    }),
});

const isConflictOf = (failure: unknown): failure is Conflict => failure instanceof Conflict;

/** Runs the work in one transaction. */
const attemptOnce = <A, E>(
  connection: OwnConnection,
  news: EventNews,
  work: (stores: Stores) => Effect.Effect<A, E>,
): Effect.Effect<Exit.Exit<A, E | Conflict>> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const transaction = yield* restore(begin(connection)).pipe(
        // The connection is in no known state, reserved or not.
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            connection.broken = true;
          }),
        ),
      );
      // Suspended: an exception before the effect begins leaves no open transaction either.
      const worked = yield* Effect.exit(restore(Effect.suspend(() => work(postgresStores(transaction)))));
      if (Exit.isFailure(worked)) {
        // Read now: the rollback may add failures of its own.
        const failure = transaction.failure;
        yield* Effect.promise(() => transaction.rollback());
        transaction.release();
        // A refusal was decided on valid reads; an interruption needs no answer.
        return failure === null || Exit.hasFails(worked) || !Exit.hasDies(worked)
          ? worked
          : explain<E>(failure);
      }
      const stored = yield* Effect.promise(() => transaction.commit());
      transaction.release();
      if (stored && transaction.hasEvents) news.announce();
      return stored ? worked : explain<E>(transaction.failure);
    }),
  );

/** Waits until a new connection is open. */
const begin = (connection: OwnConnection): Effect.Effect<Transaction> =>
  Effect.callback((resume) => {
    connection.onClose = (outage) => resume(Effect.die(outage));
    connection.sql.reserve().then(
      (sql) => {
        if (!connection.broken) resume(Effect.succeed(new Transaction(connection, sql)));
      },
      (error) => {
        connection.broken = true;
        resume(Effect.die(unreachable(error)));
      },
    );
  });

const explain = <E>(failure: unknown): Exit.Exit<never, E | Conflict> => {
  if (isConflict(failure)) return Exit.fail(new Conflict());
  const refusal = refusalOf(failure);
  // The store's port declares the refusal where its statement can violate the constraint.
  return refusal === null ? Exit.die(statementFailed(failure)) : Exit.fail(refusal as E);
};
