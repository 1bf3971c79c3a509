import postgres, { type Sql } from "postgres";
import type { Outage } from "../../ports/outage.ts";
import { poolOptions, type SessionSettings } from "./connection.ts";
import { connectionLost, isOfConnection, isReadOnlyAnswer, unreachable } from "./database-failure.ts";
import { ConnectFailed, failedSocket } from "./dial.ts";

/** The client closes connections abandoned while connecting by itself, long after this. */
const forgottenSec = 15 * 60;
/** Maximum age of a connection. */
const lifetimeMs = 30 * 60_000;
const closingSec = 3;

/** The connection has ended, and with it its transaction and its locks. The message is for the operator. */
export class ConnectionLost extends Error {}

/**
 * One connection with its own client, used exclusively. A closed one is discarded, because the client's own reconnect
 * is not safe: the next user would get the last one's error, or statements of a transaction whose beginning is lost.
 */
export interface OwnConnection {
  readonly sql: Sql;
  /** Resolves when it is open, or has failed. */
  readonly established: Promise<void>;
  /** Called when the connection closes while it is in use, or cannot be opened. */
  onClose: ((outage: Outage) => void) | null;
  /** Set by a user whose connection is unusable; it is then closed instead of reused. */
  broken: boolean;
  /** Its server has become a standby. */
  isReadOnly: boolean;
  openedAt: number;
  freeSince: number;
}

/** Creates a client of one connection with the pool's settings, and connects. */
export const openOwnConnection = (pool: Sql): OwnConnection => {
  const onLoss = (outage: Outage) => {
    connection.broken = true;
    connection.onClose?.(outage);
  };
  const connection: OwnConnection = {
    ...connectedOnce(pool, poolOptions(pool).session, { idle_timeout: forgottenSec, onLoss }),
    onClose: null,
    broken: false,
    isReadOnly: false,
    openedAt: performance.now(),
    freeSince: 0,
  };
  return connection;
};

interface ConnectedOnce {
  readonly idle_timeout: number;
  /** Called when the connection ends, or does not begin. */
  readonly onLoss?: (outage: Outage) => void;
}

/**
 * A client that connects once and sets the session's settings before any other statement. After the loss of its connection
 * every statement fails; a second connection is only for a request to cancel.
 */
export const connectedOnce = (
  pool: Sql,
  settings: SessionSettings,
  { onLoss = () => {}, ...changes }: ConnectedOnce,
): Pick<OwnConnection, "sql" | "established"> => {
  const { dial, connectTimeoutSec } = poolOptions(pool);
  let phase: "new" | "connecting" | "open" = "new";
  let failure: unknown = null;
  const lose = (error: unknown) => {
    clearTimeout(timer);
    failure ??= error;
    onLoss(phase === "open" ? connectionLost(failure) : unreachable(failure));
  };
  const connect = async () => {
    if (failure === null && phase === "connecting")
      failure = new ConnectionLost("The database closed the connection.");
    if (failure !== null) throw failure;
    if (phase === "new") phase = "connecting";
    return dial();
  };
  const sql = postgres({
    ...pool.options,
    max: 1,
    // It would be closed in the middle of a transaction.
    max_lifetime: null,
    ...changes,
    socket: () =>
      connect().catch((error: unknown) => {
        failure ??= error;
        return failedSocket(error);
      }),
    onclose: () => lose(new ConnectionLost("The database closed the connection.")),
  } as unknown as postgres.Options<Record<string, never>>) as unknown as Sql;
  // A pooler without a free connection accepts this one and lets it wait.
  const timer =
    connectTimeoutSec === 0
      ? undefined
      : setTimeout(() => {
          lose(new ConnectFailed(`The database gave no session within ${2 * connectTimeoutSec} s.`));
        }, connectTimeoutSec * 2_000).unref();
  const established = sql.unsafe(statementOf(settings)).then(() => {
    clearTimeout(timer);
    phase = "open";
  }, lose);
  return { sql, established };
};

const statementOf = (settings: SessionSettings): string =>
  `select ${Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(", ")}`;

/** Notes a failed statement, after which the connection may be unusable. */
export const recordFailure = (connection: OwnConnection, error: unknown): void => {
  connection.broken ||= isOfConnection(error);
  connection.isReadOnly ||= isReadOnlyAnswer(error);
};

/** Lets its user finish; nobody uses it after. */
export const expire = (connection: OwnConnection): void => {
  connection.openedAt = Number.NEGATIVE_INFINITY;
};

/** Whether the next user may have it. */
export const isUsable = ({ broken, openedAt }: OwnConnection): boolean =>
  !broken && performance.now() - openedAt <= lifetimeMs;

/**
 * Resolves when it is closed; never rejects. Lets a connecting connection finish first: the client then queries the
 * database's types, and a connection destroyed meanwhile would raise an unhandled rejection, which ends the process.
 */
export const closeOwnConnection = ({ sql, established }: OwnConnection): Promise<void> =>
  established.then(() => sql.end({ timeout: closingSec })).catch(() => {});
