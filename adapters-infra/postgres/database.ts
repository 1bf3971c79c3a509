import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import type { PendingQuery, Sql } from "postgres";
import { statementFailed } from "./database-failure.ts";

/** A statement with its values, to be sent on whatever connection is given. Each has a name, beside who uses it. */
export type Statement<Row extends object = object> = (sql: Sql) => PendingQuery<Row[]>;

/** The pool as the adapters use it. */
export interface Database {
  readonly sql: Sql;
  /**
   * One for each connection of the pool; whoever uses a connection holds one. Without it the client would queue a
   * statement behind strangers' on a busy connection, and transactions would starve as long as reads keep coming.
   */
  readonly seats: Semaphore.Semaphore;
  /** One statement in a transaction of its own. */
  read<Row extends object>(statement: Statement<Row>): Effect.Effect<readonly Row[]>;
  /** As `read`, of a statement with one row at most. */
  first<Row extends object>(statement: Statement<Row>): Effect.Effect<Row | null>;
}

export const databaseOf = (sql: Sql): Database => {
  const seats = Semaphore.makeUnsafe(sql.options.max);
  // An interrupted read goes on to its end: what it had been asked cannot be taken back without hitting a stranger's
  // statement now and then. `statement_timeout` bounds it.
  const read = <Row extends object>(statement: Statement<Row>) =>
    seats.withPermit(
      Effect.callback<readonly Row[]>((resume) => {
        statement(sql).then(
          (rows) => resume(Effect.succeed(rows)),
          (error) => resume(Effect.die(statementFailed(error))),
        );
      }),
    );
  return {
    sql,
    seats,
    read,
    first: (statement) => read(statement).pipe(Effect.map((rows) => rows[0] ?? null)),
  };
};
