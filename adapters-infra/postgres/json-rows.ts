import postgres from "postgres";

/**
 * A row that came as JSON (`to_jsonb`), as it would have come as a row: camelCase names, and points in time written the
 * one way. Values inside are left alone.
 */
export const fromJsonRow = <Row>(row: Readonly<Record<string, unknown>>): Row =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      postgres.toCamel(column),
      column.endsWith("_at") && typeof value === "string" ? new Date(value).toISOString() : value,
    ]),
  ) as Row;

export type JsonRow = Readonly<Record<string, unknown>>;
