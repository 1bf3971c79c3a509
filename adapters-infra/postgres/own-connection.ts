import postgres, { type Sql } from "postgres";

/** The client closes connections abandoned while connecting by itself, long after this. */
const forgottenSec = 15 * 60;
/** Maximum age of a connection. */
const lifetimeMs = 30 * 60_000;
/**
 * Lets a connecting connection finish first: the client then queries the database's types, and a connection destroyed
 * meanwhile would raise an unhandled rejection, which ends the process.
 */
const closingSec = 3;

/**
 * One connection with its own client, used exclusively. A closed one is discarded, because the client's own reconnect
 * is not safe: the next user would get the last one's error, or statements of a transaction whose beginning is lost.
 */
export interface OwnConnection {
  readonly sql: Sql;
  /** Called when the connection closes while it is in use. */
  onClose: ((error: Error) => void) | null;
  /** Set by a user whose connection is unusable; it is then closed instead of reused. */
  broken: boolean;
  readonly openedAt: number;
  freeSince: number;
}

/** Creates a client of one connection with the pool's settings. It connects at first use. */
export const openOwnConnection = (pool: Sql): OwnConnection => {
  const options: object = {
    ...pool.options,
    max: 1,
    idle_timeout: forgottenSec,
    max_lifetime: null,
    onclose: () => {
      connection.broken = true;
      connection.onClose?.(new Error("The connection was closed."));
    },
  };
  const connection: OwnConnection = {
    sql: postgres(options) as unknown as Sql,
    onClose: null,
    broken: false,
    openedAt: performance.now(),
    freeSince: 0,
  };
  return connection;
};

/** Whether the next user may have it. */
export const isUsable = ({ broken, openedAt }: OwnConnection): boolean =>
  !broken && performance.now() - openedAt <= lifetimeMs;

/** Resolves when it is closed; never rejects. */
export const closeOwnConnection = ({ sql }: OwnConnection): Promise<void> =>
  sql.end({ timeout: closingSec }).catch(() => {});
