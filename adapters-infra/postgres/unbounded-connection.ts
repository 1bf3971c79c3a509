import postgres, { type Sql } from "postgres";
import { openDatabase } from "./connection.ts";

/**
 * One connection of its own without limits of time, for work on whole tables. Takes a pool, whose settings it shares, or a
 * URL. The caller ends it.
 */
export const unboundedConnection = (database: Sql | string): Sql => {
  const pool = typeof database === "string" ? openDatabase(database, { max: 1 }) : database;
  return postgres({
    ...pool.options,
    max: 1,
    // It would be closed in the middle of a transaction.
    max_lifetime: null,
    idle_timeout: 0,
    connection: {
      ...pool.options.connection,
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
    },
  } as unknown as postgres.Options<Record<string, never>>) as unknown as Sql;
};
