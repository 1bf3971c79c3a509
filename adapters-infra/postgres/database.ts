import * as Effect from "effect/Effect";
import type { PendingQuery, Sql } from "postgres";
import { endUnwanted } from "./answers.ts";
import { type Connections, connectionsOf } from "./connections.ts";
import { connectionLost, isDeadlock, isOfConnection, statementFailed } from "./database-failure.ts";
import { type EventNews, eventNews } from "./event-news.ts";
import type { OwnConnection } from "./own-connection.ts";

/** A statement with its values, to be sent on whatever connection is given. Each has a name, beside who uses it. */
export type Statement<Row extends object = object> = (sql: Sql) => PendingQuery<Row[]>;

/** The pool as the adapters use it. */
export interface Database {
  readonly connections: Connections;
  /** Tells services that there may be something new in the stream of events. */
  readonly news: EventNews;
  /** One statement in a transaction of its own. */
  read<Row extends object>(statement: Statement<Row>): Effect.Effect<readonly Row[]>;
  /** As `read`, of a statement with one row at most. */
  first<Row extends object>(statement: Statement<Row>): Effect.Effect<Row | null>;
  /** As `first`, of one row by its key: together with all others that are looked up at the time. */
  lookUp<Row extends object>(statement: Statement<Row>): Effect.Effect<Row | null>;
  /** As `read`, in batches, and no more of them once the last `isEnough`. Costs a round trip more. */
  readBatches<Row extends object>(
    statement: Statement<Row>,
    isEnough: (batch: readonly Row[]) => boolean,
  ): Effect.Effect<readonly Row[]>;
}

/** Gives the database on that pool. Its connections are counted apart from the pool's own; ending the pool ends both. */
export const databaseOf = (pool: Sql): Database => {
  const connections = connectionsOf(pool);
  const news = eventNews(pool);
  const endPool = pool.end;
  pool.end = async (options) => {
    news.end();
    await connections.end((options?.timeout ?? 60) * 1000);
    await endPool(options);
  };
  const ask = <Row extends object>(begin: (sql: Sql) => Asked<Row>) =>
    connections.withOwn((connection) => answered(askOn(connection, begin)));
  const read = <Row extends object>(statement: Statement<Row>) =>
    ask<Row>((sql) => ({ query: statement(sql), gathered: null }));
  const firstOf = <Row extends object>(rows: readonly Row[]): Row | null => rows[0] ?? null;
  return {
    connections,
    news,
    read,
    first: (statement) => Effect.map(read(statement), firstOf),
    lookUp: (statement) =>
      Effect.map(
        answered(
          Effect.tryPromise({
            try: () => connections.onShared(async (sql) => await statement(sql)),
            catch: (error) => error,
          }),
        ),
        firstOf,
      ),
    readBatches: (statement, isEnough) => ask((sql) => inBatches(statement(sql), isEnough, sql.CLOSE)),
  };
};

interface Asked<Row extends object> {
  readonly query: Promise<readonly Row[]>;
  /** Where they come in batches: the rows of all of them. */
  readonly gathered: readonly Row[] | null;
}

/**
 * A migration of a later version takes its locks table by table, as a read of several tables does: where the database
 * makes the read give way, it is sent again.
 */
const answered = <A>(asked: Effect.Effect<A, unknown>): Effect.Effect<A> =>
  asked.pipe(
    Effect.retry({ while: isDeadlock, times: 7 }),
    Effect.catch((error) => Effect.die(statementFailed(error))),
  );

/**
 * Sends one statement on a connection of the caller's own. Fails with what the client or the database said; an
 * interruption ends the statement, too.
 */
const askOn = <Row extends object>(
  connection: OwnConnection,
  begin: (sql: Sql) => Asked<Row>,
): Effect.Effect<readonly Row[], unknown> =>
  Effect.callback((resume) => {
    const { query, gathered } = begin(connection.sql);
    // The client forgets a statement that it had not put on the wire when its connection closed.
    connection.onClose = (error) => resume(Effect.fail(connectionLost(error)));
    const settled = query.then(
      (rows) => resume(Effect.succeed(gathered ?? rows)),
      (error) => {
        connection.broken ||= isOfConnection(error);
        resume(Effect.fail(error));
      },
    );
    return Effect.promise(async () => {
      const unwanted = [query as unknown as PendingQuery<object[]>];
      connection.broken ||= !(await endUnwanted(() => unwanted, settled));
    });
  });

/** How many rows are in memory, at most, beyond those that were wanted: one may be a megabyte. */
export const batchRows = 64;

const inBatches = <Row extends object>(
  query: PendingQuery<Row[]>,
  isEnough: (batch: readonly Row[]) => boolean,
  close: Sql["CLOSE"],
): Asked<Row> => {
  const gathered: Row[] = [];
  query.cursor(batchRows, (batch) => {
    gathered.push(...(batch as unknown as readonly Row[]));
    return isEnough(batch as unknown as readonly Row[]) ? close : undefined;
  });
  return { query, gathered };
};

/**
 * The statement, to be answered in different ways for different values: what the client has prepared the server may come
 * to plan for any, of a company with many rows as of one with few. Costs the planning each time. The client has no public
 * option for a single statement.
 */
export const plannedForItsValues =
  <Row extends object>(statement: Statement<Row>): Statement<Row> =>
  (sql) => {
    const query = statement(sql);
    (query as unknown as { readonly options: { prepare?: boolean } }).options.prepare = false;
    return query;
  };
