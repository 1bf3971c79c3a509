import * as Effect from "effect/Effect";
import type { PendingQuery, Sql } from "postgres";
import { endUnwanted } from "./answers.ts";
import { type Connections, connectionsOf } from "./connections.ts";
import { isDeadlock, statementFailed } from "./database-failure.ts";
import { type EventNews, eventNews } from "./event-news.ts";
import { type OwnConnection, recordFailure } from "./own-connection.ts";
import { endStalledStatements } from "./stalled-statements.ts";
import { beginStatementSpan, type StatementParent, statementParent } from "./statement-span.ts";

/** A statement with its values, for any connection. Each has a name and stands next to its user. */
export type Statement<Row extends object = object> = (sql: Sql) => PendingQuery<Row[]>;

/** The pool as the adapters use it. */
export interface Database {
  readonly connections: Connections;
  /** Tells services that the event stream may have new events. */
  readonly news: EventNews;
  /** Runs one statement in its own transaction. */
  read<Row extends object>(statement: Statement<Row>): Effect.Effect<readonly Row[]>;
  /** Like `read`, for a statement with at most one row. */
  first<Row extends object>(statement: Statement<Row>): Effect.Effect<Row | null>;
  /** Like `first`, for one row by its key; shares a packet with other look-ups of the same turn. */
  lookUp<Row extends object>(statement: Statement<Row>): Effect.Effect<Row | null>;
  /**
   * Like `lookUp`, sent once for all that ask under the key in one turn of the event loop. It begins after all of them
   * have asked, so each sees what was stored before.
   */
  lookUpOnce<Row extends object>(key: string, statement: Statement<Row>): Effect.Effect<Row | null>;
  /** Like `read`, in batches, until one `isEnough`. Costs an extra round trip. */
  readBatches<Row extends object>(
    statement: Statement<Row>,
    isEnough: (batch: readonly Row[]) => boolean,
  ): Effect.Effect<readonly Row[]>;
}

/** Wraps the pool; ending the pool ends its connections too. */
export const databaseOf = (pool: Sql): Database => {
  const connections = connectionsOf(pool);
  const news = eventNews(connections);
  const stalled = endStalledStatements(pool, connections);
  const endPool = pool.end;
  pool.end = async (options) => {
    stalled.end();
    news.end();
    await connections.end((options?.timeout ?? 60) * 1000);
    await endPool(options);
  };
  const ask = <Row extends object>(begin: (sql: Sql) => Asked<Row>) =>
    connections.withOwn((connection) => answered(askOn(connection, begin)));
  const read = <Row extends object>(statement: Statement<Row>) =>
    ask<Row>((sql) => ({ query: statement(sql), collected: null }));
  const firstOf = <Row extends object>(rows: readonly Row[]): Row | null => rows[0] ?? null;
  const lookUpBy = <Row extends object>(send: () => Promise<readonly Row[]>): Effect.Effect<Row | null> =>
    Effect.map(answered(Effect.tryPromise({ try: send, catch: (error) => error })), firstOf);
  const send = <Row extends object>(
    statement: Statement<Row>,
    parent: StatementParent | null,
  ): Promise<readonly Row[]> =>
    connections.onShared(async (sql) => {
      const query = statement(sql);
      const endSpan = beginStatementSpan(parent, query as unknown as PendingQuery<object[]>);
      return await query.then(
        (rows) => {
          endSpan();
          return rows;
        },
        (error) => {
          endSpan(error);
          throw error;
        },
      );
    });
  /** The look-ups that this turn of the event loop has asked for. */
  const asked = new Map<string, Promise<readonly object[]>>();
  const sendOnce = <Row extends object>(key: string, statement: Statement<Row>): Promise<readonly Row[]> => {
    let answer = asked.get(key);
    if (answer === undefined) {
      const parent = statementParent();
      answer = new Promise((resolve, reject) => {
        setImmediate(() => {
          asked.delete(key);
          send(statement, parent).then(resolve, reject);
        });
      });
      asked.set(key, answer);
    }
    return answer as Promise<readonly Row[]>;
  };
  return {
    connections,
    news,
    read,
    first: (statement) => Effect.map(read(statement), firstOf),
    lookUp: (statement) => lookUpBy(() => send(statement, statementParent())),
    lookUpOnce: (key, statement) => lookUpBy(() => sendOnce(key, statement)),
    readBatches: (statement, isEnough) => ask((sql) => inBatches(statement(sql), isEnough, sql.CLOSE)),
  };
};

interface Asked<Row extends object> {
  readonly query: Promise<readonly Row[]>;
  /** The rows of all batches so far; null without batches. */
  readonly collected: readonly Row[] | null;
}

/**
 * A migration of a later version locks tables one by one, as a read of several tables does: a read that the database
 * aborts for a deadlock is sent again. A schedule of Effect would be built for each read.
 */
const answered = <A>(asked: Effect.Effect<A, unknown>, repeats = 7): Effect.Effect<A> =>
  Effect.catch(asked, (error) =>
    repeats > 0 && isDeadlock(error) ? answered(asked, repeats - 1) : Effect.die(statementFailed(error)),
  );

/**
 * Sends one statement on the caller's own connection. Fails with the error of the client or the database; an
 * interruption also ends the statement.
 */
const askOn = <Row extends object>(
  connection: OwnConnection,
  begin: (sql: Sql) => Asked<Row>,
): Effect.Effect<readonly Row[], unknown> =>
  Effect.callback((resume) => {
    const { query, collected } = begin(connection.sql);
    const endSpan = beginStatementSpan(statementParent(), query as unknown as PendingQuery<object[]>);
    // The client forgets a statement that was not yet sent when its connection closed.
    connection.onClose = (outage) => resume(Effect.fail(outage));
    const finished = query.then(
      (rows) => {
        endSpan();
        resume(Effect.succeed(collected ?? rows));
      },
      (error) => {
        endSpan(error);
        recordFailure(connection, error);
        resume(Effect.fail(error));
      },
    );
    return Effect.promise(async () => {
      const unwanted = [query as unknown as PendingQuery<object[]>];
      connection.broken ||= !(await endUnwanted(() => unwanted, finished));
    });
  });

/** Maximum of extra rows in memory: one row may be a megabyte. */
export const batchRows = 64;

const inBatches = <Row extends object>(
  query: PendingQuery<Row[]>,
  isEnough: (batch: readonly Row[]) => boolean,
  close: Sql["CLOSE"],
): Asked<Row> => {
  const collected: Row[] = [];
  query.cursor(batchRows, (batch) => {
    collected.push(...(batch as unknown as readonly Row[]));
    return isEnough(batch as unknown as readonly Row[]) ? close : undefined;
  });
  return { query, collected };
};

/**
 * Makes the server plan a statement for its actual values. A prepared statement may get a generic plan, the same for a
 * company with many rows as with few. Costs planning time at each call. The client has no public option for a single
 * statement.
 */
export const plannedForItsValues =
  <Row extends object>(statement: Statement<Row>): Statement<Row> =>
  (sql) => {
    const query = statement(sql);
    (query as unknown as { readonly options: { prepare?: boolean } }).options.prepare = false;
    return query;
  };
