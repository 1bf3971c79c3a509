import type { Sql } from "postgres";
import { poolOptions } from "./connection.ts";
import type { Connections } from "./connections.ts";

/** Ends the search for stalled statements. */
export interface StalledStatements {
  end(): void;
}

/**
 * Ends transactions of other services that stopped in the middle of a statement. A connection's first use of a statement
 * takes two round trips: a host that is cut off between them leaves the statement half sent, which neither the limit of
 * idle transactions nor that of statements covers, and its locks would stay until TCP gives up, after hours. The limit is
 * that of idle transactions.
 */
export const endStalledStatements = (pool: Sql, connections: Connections): StalledStatements => {
  const limitMs = poolOptions(pool).session.idle_in_transaction_session_timeout;
  const timer = setInterval(() => {
    connections.onShared(async (sql) => await endStalled(limitMs / 1000)(sql)).catch(() => {});
  }, limitMs / 2).unref();
  return { end: () => clearInterval(timer) };
};

const endStalled = (limitSec: number) => (sql: Sql) =>
  sql`
  select  pg_terminate_backend(pid)
  from    pg_stat_activity
  where   datname = current_database()
  and     usename = current_user
  and     application_name = current_setting('application_name')
  and     state = 'active'
  and     wait_event = 'ClientRead'
  and     state_change < now() - make_interval(secs => ${limitSec})
`;
