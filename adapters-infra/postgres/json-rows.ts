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

/**
 * Writes the instants of a JSON object as callers get them: those under names that end in `At`, `_at` or `Since`. Other
 * texts stay unchanged whatever they say: a quote in a text is escaped, so the name of a field cannot be part of one.
 */
export const withInstants = (json: string): string => {
  let written = "";
  let done = 0;
  for (let end = json.indexOf(utc); end !== -1; end = json.indexOf(utc, end + utc.length)) {
    const begin = json.lastIndexOf('"', end) + 1;
    if (!instantNames.some((name) => json.startsWith(name, begin - name.length))) continue;
    written += json.slice(done, begin) + instantOf(json.slice(begin, end + utc.length - 1));
    done = end + utc.length - 1;
  }
  return written + json.slice(done);
};

/** Reads a value of `json` columns whose names are as callers get them. */
export const fromJsonText = <Value>(json: string): Value => JSON.parse(withInstants(json)) as Value;

/** How PostgreSQL ends an instant in JSON. */
const utc = '+00:00"';

const instantNames = ["At", "_at", "Since"].map((ending) => `${ending}":"`);
