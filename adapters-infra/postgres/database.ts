import * as Effect from "effect/Effect";
import type { PendingQuery, Sql } from "postgres";
import { endUnwanted } from "./answers.ts";
import { connectionLost, isDeadlock, isOfConnection, statementFailed } from "./database-failure.ts";
import { type Lane, type Lanes, lanesOf } from "./lanes.ts";

/** A statement with its values, to be sent on whatever connection is given. Each has a name, beside who uses it. */
export type Statement<Row extends object = object> = (sql: Sql) => PendingQuery<Row[]>;

/** The pool as the adapters use it. */
export interface Database {
  readonly lanes: Lanes;
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

/** A migration of a later version takes its locks table by table, as a read of several does: then the read may give way. */
const attempts = 8;

/** The pool's own connections stay free for others; ending the pool ends the lanes too. */
export const databaseOf = (pool: Sql): Database => {
  const lanes = lanesOf(pool);
  const endPool = pool.end;
  pool.end = async (options) => {
    await lanes.end((options?.timeout ?? 60) * 1000);
    await endPool(options);
  };
  const askOn = <Row extends object>(
    lane: Lane,
    begin: (sql: Sql) => Asked<Row>,
    attempt: number,
  ): Effect.Effect<readonly Row[]> =>
    Effect.callback((resume) => {
      const { query, gathered } = begin(lane.sql);
      // The client forgets a statement that it had not put on the wire when its connection closed.
      lane.onClose = (error) => resume(Effect.die(statementFailed(connectionLost(error))));
      const answered = query.then(
        (rows) => resume(Effect.succeed(gathered ?? rows)),
        (error) => {
          lane.broken ||= isOfConnection(error);
          resume(
            isDeadlock(error) && attempt < attempts
              ? askOn(lane, begin, attempt + 1)
              : Effect.die(statementFailed(error)),
          );
        },
      );
      return Effect.promise(async () => {
        lane.broken ||= !(await endUnwanted(() => [query as unknown as PendingQuery<object[]>], answered));
      });
    });
  const ask = <Row extends object>(begin: (sql: Sql) => Asked<Row>) =>
    lanes.use((lane) => askOn(lane, begin, 1));
  const lookUp = <Row extends object>(statement: Statement<Row>, attempt = 1): Effect.Effect<Row | null> =>
    Effect.callback((resume) => {
      lanes
        .share(async (sql) => await statement(sql))
        .then(
          (rows) => resume(Effect.succeed(rows[0] ?? null)),
          (error) =>
            resume(
              isDeadlock(error) && attempt < attempts
                ? lookUp(statement, attempt + 1)
                : Effect.die(statementFailed(error)),
            ),
        );
    });
  const read = <Row extends object>(statement: Statement<Row>) =>
    ask<Row>((sql) => ({ query: statement(sql), gathered: null }));
  return {
    lanes,
    read,
    first: (statement) => read(statement).pipe(Effect.map((rows) => rows[0] ?? null)),
    lookUp: (statement) => lookUp(statement),
    readBatches: (statement, isEnough) => ask((sql) => inBatches(statement(sql), isEnough, sql.CLOSE)),
  };
};

interface Asked<Row extends object> {
  readonly query: Promise<readonly Row[]>;
  /** Where they come in batches: the rows of all of them. */
  readonly gathered: readonly Row[] | null;
}

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
