import postgres, { type Sql } from "postgres";

/** Connections that were given up while they connected are closed by the client itself, long after ours would have been. */
const forgottenSec = 15 * 60;
/** How long any connection is used. */
const lifetimeMs = 30 * 60_000;
/**
 * A connection that is still being opened may finish that first: the client asks the database about its types then, and
 * where the connection is destroyed meanwhile nobody is there for the failure, which would end the process.
 */
const closingSec = 3;

/**
 * One connection of its own client, in the hands of one user at a time. One that closes is given up for good, because
 * the client's own way of renewing it is not safe: the next user would be handed the last one's error, or the statements
 * of a transaction whose beginning is lost.
 */
export interface OwnConnection {
  readonly sql: Sql;
  /** Told when the connection closes while it is in use. */
  onClose: ((error: Error) => void) | null;
  /** Set by the user who finds that it cannot be used any more; then it is closed instead of given on. */
  broken: boolean;
  readonly openedAt: number;
  freeSince: number;
}

/** Makes a client of one connection, with the pool's settings. It connects when it is first used. */
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

/** Whether it is given on to the next user. */
export const isUsable = ({ broken, openedAt }: OwnConnection): boolean =>
  !broken && performance.now() - openedAt <= lifetimeMs;

/** Resolves when it is closed; never rejects. */
export const closeOwnConnection = ({ sql }: OwnConnection): Promise<void> =>
  sql.end({ timeout: closingSec }).catch(() => {});
