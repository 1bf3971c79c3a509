import postgres from "postgres";

/**
 * Converts a JSON row (`to_jsonb`) to the form of an ordinary row: camelCase names and uniform timestamps. Nested
 * values stay unchanged.
 */
export const fromJsonRow = <Row>(row: Readonly<Record<string, unknown>>): Row =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      postgres.toCamel(column),
      column.endsWith("_at") && typeof value === "string" ? new Date(value).toISOString() : value,
    ]),
  ) as Row;

export type JsonRow = Readonly<Record<string, unknown>>;
