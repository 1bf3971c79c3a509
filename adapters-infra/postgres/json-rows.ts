import postgres from "postgres";
import { instantOf } from "./instant-text.ts";

/**
 * Converts a JSON row (`to_jsonb`) to the form of an ordinary row: camelCase names and uniform timestamps. Nested
 * values stay unchanged.
 */
export const fromJsonRow = <Row>(row: Readonly<Record<string, unknown>>): Row => {
  const converted: Record<string, unknown> = {};
  for (const column in row) {
    const value = row[column];
    const { name, isInstant } = fieldOf(column);
    converted[name] = isInstant && typeof value === "string" ? instantOf(value) : value;
  }
  return converted as Row;
};

export type JsonRow = Readonly<Record<string, unknown>>;

interface Field {
  readonly name: string;
  readonly isInstant: boolean;
}

/** Of every column met so far; the columns are those of the tables. */
const fields = new Map<string, Field>();

const fieldOf = (column: string): Field => {
  let field = fields.get(column);
  if (field === undefined) {
    field = { name: postgres.toCamel(column), isInstant: column.endsWith("_at") };
    fields.set(column, field);
  }
  return field;
};
