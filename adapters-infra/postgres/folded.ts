import type { Sql } from "postgres";

/**
 * A text column in lower case, compared by code points. The same on every server: without the collation its locale would
 * decide which letters have small ones, and their order.
 */
export const folded = (sql: Pick<Sql, "unsafe">, column: string) =>
  sql.unsafe(`lower(${column} collate "und-x-icu") collate "C"`);
