import type { Sql } from "postgres";
import { isUsable, type OwnConnection, openOwnConnection, recordFailure } from "./own-connection.ts";

interface InUse {
  readonly connection: OwnConnection;
  /** The rejections of open statements. */
  readonly unanswered: Set<(error: Error) => void>;
}

/** One connection that all callers share. */
export interface SharedConnection {
  /** Sends behind earlier statements and waits for the answer. */
  send<A>(statement: (sql: Sql) => Promise<A>): Promise<A>;
  /** The next statement opens another. */
  renew(): void;
  /** Closes it if it has been unused since then. */
  closeIdle(since: number): void;
  /** Closes it after the last answer and opens no other. */
  end(): void;
}

export const sharedConnection = (
  pool: Sql,
  close: (connection: OwnConnection) => void,
  onReadOnly: () => void,
): SharedConnection => {
  let current: InUse | null = null;
  let ended = false;

  const discard = (): void => {
    if (current !== null) close(current.connection);
    current = null;
  };
  const open = (): InUse => {
    const connection = openOwnConnection(pool);
    const unanswered = new Set<(error: Error) => void>();
    // The client forgets a statement that was not yet sent when its connection closed. It rejects the others itself, in
    // this turn of the event loop, with a more specific error.
    connection.onClose = (outage) => {
      setImmediate(() => {
        for (const reject of unanswered) reject(outage);
      });
    };
    return { connection, unanswered };
  };
  const take = (): InUse => {
    if (current !== null && !isUsable(current.connection)) discard();
    current ??= open();
    return current;
  };
  const closeIdle = (since: number): void => {
    if (current !== null && current.unanswered.size === 0 && current.connection.freeSince < since) discard();
  };
  return {
    send: (statement) =>
      new Promise((resolve, reject) => {
        const { connection, unanswered } = take();
        unanswered.add(reject);
        statement(connection.sql)
          .then(resolve, (error) => {
            recordFailure(connection, error);
            if (connection.isReadOnly) onReadOnly();
            reject(error);
          })
          .finally(() => {
            unanswered.delete(reject);
            connection.freeSince = performance.now();
            if (ended) closeIdle(Number.POSITIVE_INFINITY);
          });
      }),
    renew: discard,
    closeIdle,
    end: () => {
      ended = true;
      discard();
    },
  };
};
