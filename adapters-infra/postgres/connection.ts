import postgres, { type PostgresType, type Sql } from "postgres";
import { instantOf } from "./instant-text.ts";

export interface DatabaseOptions {
  /** Maximum number of connections. Default 8. */
  readonly max?: number;
  /**
   * The database ends a transaction that is idle for this long. Default 10 s; shorter than the service's lease, so that
   * a stalled service holds no locks when another takes over.
   */
  readonly idleInTransactionSec?: number;
}

/**
 * Opens a pool; it connects at first use. Timestamps come back as ISO 8601 UTC text with milliseconds, days as
 * `YYYY-MM-DD`, counts as numbers, and columns under camelCase names; jsonb values stay unchanged, json is its text.
 *
 * Close it with `sql.end({ timeout: seconds })`: without a timeout the client waits indefinitely for a transaction.
 */
export const openDatabase = (
  url: string,
  { max = 8, idleInTransactionSec = 10 }: DatabaseOptions = {},
): Sql => {
  const options: postgres.Options<Record<string, PostgresType>> & { max_pipeline: number } = {
    max,
    connect_timeout: 10,
    idle_timeout: 60,
    // A decision may send hundreds of writes at once, such as the wakes of a resumed company.
    max_pipeline: 1_000,
    onnotice: () => {},
    connection: {
      application_name: "boardroom",
      TimeZone: "UTC",
      DateStyle: "ISO",
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: Math.round(idleInTransactionSec * 1000),
      // In kilobytes. Each search reads all words that wait to be merged into its index: with the default of 4 MB a rare
      // word costs ten times as much, and writes are not cheaper.
      gin_pending_list_limit: 256,
    },
    transform: {
      // An undefined parameter while other statements are open would corrupt the client's answers.
      undefined: null,
      column: { from: postgres.toCamel },
    },
    types: {
      instant: {
        to: 1184,
        from: [1184],
        parse: instantOf,
        serialize: (value: string | Date) => textOf(value),
      },
      day: { to: 1082, from: [1082], parse: (text: string) => text, serialize: (text: string) => text },
      count: { to: 20, from: [20], parse: Number, serialize: (count: number) => `${count}` },
      jsonText: { to: 114, from: [114], parse: (text: string) => text, serialize: (text: string) => text },
      sum: { to: 1700, from: [1700], parse: Number, serialize: (sum: number) => `${sum}` },
    },
  };
  return postgres(url, options) as unknown as Sql;
};

const textOf = (value: string | Date): string => (value instanceof Date ? value.toISOString() : value);
