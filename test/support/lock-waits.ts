import type { Sql } from "postgres";
import { eventually } from "./eventually.ts";

/** Waits until so many backends wait for a lock. Returns them. */
export const waitingForLock = (sql: Sql, count: number) =>
  eventually(
    () => sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `,
    (waiting) => waiting.length === count,
    { everyMs: 5 },
  );
