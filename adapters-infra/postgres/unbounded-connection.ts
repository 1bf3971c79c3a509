import { connect, type Socket } from "node:net";
import postgres, { type Sql } from "postgres";
import { openDatabase } from "./connection.ts";

/** The connection has ended, and with it its transaction and its locks. The message is for the operator. */
export class ConnectionLost extends Error {}

/**
 * One connection of its own without limits of time, for work on whole tables. Takes a pool, whose settings it shares, or a
 * URL. It connects once: the work never continues on another connection. The caller ends it.
 */
export const unboundedConnection = (database: Sql | string): Sql => {
  const pool = typeof database === "string" ? openDatabase(database, { max: 1 }) : database;
  return postgres({
    ...pool.options,
    max: 1,
    // It would be closed in the middle of a transaction.
    max_lifetime: null,
    idle_timeout: 0,
    socket: connectOnce(),
    connection: {
      ...pool.options.connection,
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
    },
  } as unknown as postgres.Options<Record<string, never>>) as unknown as Sql;
};

interface Address {
  host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}

/** The client (postgres 3.4.9) itself connects again without end where connections are accepted and closed. */
const connectOnce = () => {
  let attempts = 0;
  return (address: Address): Socket => {
    const { host, port, path } = address;
    const at = attempts++;
    if (at >= (path ? 1 : host.length)) {
      // While there is another host, it reports no failure.
      address.host = [];
      throw new ConnectionLost("The database closed the connection.");
    }
    const socket = path ? connect(path) : connect(port[at]!, host[at]!);
    // Else the end of each COPY waits for the acknowledgement of its rows, 40 ms.
    socket.setNoDelay(true);
    // The client names the server to TLS by it.
    return path ? socket : Object.assign(socket, { host: host[at] });
  };
};
