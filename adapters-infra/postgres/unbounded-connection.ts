import type { Sql } from "postgres";
import { openDatabase, poolOptions } from "./connection.ts";
import { connectedOnce } from "./own-connection.ts";

/**
 * One connection of its own without limits of time, for work on whole tables. Takes a pool, whose settings it shares, or a
 * URL. It connects once: the work never continues on another connection. The caller ends it.
 */
export const unboundedConnection = (database: Sql | string): Sql => {
  const pool = typeof database === "string" ? openDatabase(database, { max: 1 }) : database;
  const unlimited = {
    ...poolOptions(pool).session,
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  };
  return connectedOnce(pool, unlimited, { idle_timeout: 0 }).sql;
};
