import postgres, { type PostgresType, type Sql } from "postgres";
import { type DatabaseAddress, readDatabaseUrl } from "./database-url.ts";
import { type Dial, dialer, failedSocket, type SessionKind } from "./dial.ts";
import { instantOf } from "./instant-text.ts";

export interface DatabaseOptions {
  /** Maximum number of connections, with the one that listens. Default 10. */
  readonly max?: number;
  /**
   * The database ends a transaction that is idle for this long. Default 10 s; shorter than the service's lease, so that
   * a stalled service holds no locks when another takes over.
   */
  readonly idleInTransactionSec?: number;
  /** Closes the connections that wait for work, after a second; by default yes. */
  readonly closesIdle?: boolean;
}

/** The settings of each session, which it makes first: poolers such as PgBouncer refuse or ignore these while connecting. */
export interface SessionSettings {
  readonly statement_timeout: number;
  readonly idle_in_transaction_session_timeout: number;
  /**
   * In kilobytes. Each search reads all words that wait to be merged into its index: with the default of 4 MB a rare word
   * costs ten times as much, and writes are not cheaper.
   */
  readonly gin_pending_list_limit: 256;
}

/** The options of a pool, which its connections share. */
export interface PoolOptions {
  readonly max: number;
  readonly socket: () => Promise<unknown>;
  readonly dial: Dial;
  readonly session: SessionSettings;
  /** How long a new connection may take until it answers; 0: no limit. */
  readonly connectTimeoutSec: number;
}

export const poolOptions = (pool: Sql): PoolOptions => pool.options as unknown as PoolOptions;

/**
 * Opens a pool; it connects at first use. Timestamps come back as ISO 8601 UTC text with milliseconds, days as
 * `YYYY-MM-DD`, counts as numbers, and columns under camelCase names; jsonb values stay unchanged, json is its text.
 *
 * Close it with `sql.end({ timeout: seconds })`: without a timeout the client waits indefinitely for a transaction.
 */
export const openDatabase = (
  url: string,
  { max = 10, idleInTransactionSec = 10, closesIdle = true }: DatabaseOptions = {},
): Sql => {
  const address = readDatabaseUrl(url);
  const dial = dialer(address, (dialAttempt) => tryLogin(address, dialAttempt));
  const pool: Omit<PoolOptions, "socket"> = {
    max,
    dial,
    session: {
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: Math.round(idleInTransactionSec * 1000),
      gin_pending_list_limit: 256,
    },
    connectTimeoutSec: address.connectTimeoutSec,
  };
  return clientOf(address, dial, closesIdle ? pool : { ...pool, idle_timeout: null });
};

/** A client whose settings all come from the address: the postgres package would also read variables of the environment. */
const clientOf = (address: DatabaseAddress, dial: Dial, changes: object): Sql => {
  const [{ host, port }] = address.servers as [DatabaseAddress["servers"][number]];
  const given: postgres.Options<Record<string, PostgresType>> & { max_pipeline: number } = {
    // For messages. With several, the client would hide failures.
    host: [host] as unknown as string,
    port: [port] as unknown as number,
    database: address.database,
    user: address.user,
    pass: address.password,
    ssl: false,
    connect_timeout: address.connectTimeoutSec,
    keep_alive: 0 as unknown as null,
    // Of the pool itself only the start makes use.
    idle_timeout: 1,
    // A decision may send hundreds of writes at once, such as the wakes of a resumed company.
    max_pipeline: 1_000,
    onnotice: () => {},
    connection: {
      application_name: address.applicationName ?? "boardroom",
      TimeZone: "UTC",
      DateStyle: "ISO",
      ...(address.options === null ? {} : { options: address.options }),
    },
    transform: {
      // An undefined parameter while other statements are open would corrupt the client's answers.
      undefined: null,
      column: { from: postgres.toCamel },
    },
    types: {
      instant: {
        to: 1184,
        from: [1184],
        parse: instantOf,
        serialize: (value: string | Date) => textOf(value),
      },
      day: { to: 1082, from: [1082], parse: (text: string) => text, serialize: (text: string) => text },
      count: { to: 20, from: [20], parse: Number, serialize: (count: number) => `${count}` },
      jsonText: { to: 114, from: [114], parse: (text: string) => text, serialize: (text: string) => text },
      sum: { to: 1700, from: [1700], parse: Number, serialize: (sum: number) => `${sum}` },
    },
    target_session_attrs: "primary",
  };
  const { options } = postgres(given);
  // Options of a client are used as they are.
  return postgres({
    ...options,
    path: false,
    pass: address.password,
    target_session_attrs: null,
    socket: () => dial().catch(failedSocket),
    ...changes,
  } as unknown as postgres.Options<Record<string, PostgresType>>) as unknown as Sql;
};

const tryLogin = async (address: DatabaseAddress, dial: Dial): Promise<SessionKind> => {
  const sql = clientOf(address, onceOf(dial), { max: 1, fetch_types: false });
  try {
    const [kind] = await sql.unsafe<{ isStandby: boolean; isReadOnly: boolean }[]>(
      "select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only",
    );
    return kind!;
  } finally {
    await sql.end({ timeout: 1 });
  }
};

/** The client itself connects again without end where connections are accepted and closed. */
const onceOf = (dial: Dial): Dial => {
  let dialled = false;
  return () => {
    if (dialled) return Promise.reject(new Error("The database closed the connection."));
    dialled = true;
    return dial();
  };
};

const textOf = (value: string | Date): string => (value instanceof Date ? value.toISOString() : value);
