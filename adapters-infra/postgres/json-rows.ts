import postgres from "postgres";
import type { IsInstant } from "../../core/model/shared/instant.ts";
import { instantOf } from "./instant-text.ts";

/**
 * The fields of a type that are instants (`true`) or hold some, at any depth; items of arrays like a single one. JSON
 * has no instants: its reader names them, and a field that is left out does not compile.
 */
export type InstantsOf<Value> = [NonNullable<Value>] extends [readonly (infer Item)[]]
  ? InstantsOf<Item>
  : {
      readonly [Name in keyof NonNullable<Value> as HasInstants<NonNullable<Value>[Name]> extends true
        ? Name
        : never]-?: IsInstant<NonNullable<NonNullable<Value>[Name]>> extends true
        ? true
        : InstantsOf<NonNullable<Value>[Name]>;
    };

type HasInstants<Value> =
  IsInstant<NonNullable<Value>> extends true
    ? true
    : [NonNullable<Value>] extends [string | number | boolean]
      ? false
      : unknown extends Value
        ? false
        : [keyof InstantsOf<Value>] extends [never]
          ? false
          : true;

/** A type without instants: its JSON can be taken as it is. */
export type Plain<Value> = HasInstants<Value> extends true ? never : Value;

export type JsonRow = Readonly<Record<string, unknown>>;

/**
 * Converts JSON rows (`to_jsonb`) to the form of ordinary rows: camelCase names and uniform timestamps. Names of nested
 * values stay unchanged.
 */
export const fromJsonRow = <Row>(instants: InstantsOf<Row>): ((row: JsonRow) => Row) => {
  const fields = instants as Fields;
  return (row) => {
    const converted: Record<string, unknown> = {};
    for (const column in row) converted[nameOf(column)] = row[column];
    setInstants(converted, fields);
    return converted as Row;
  };
};

/** Reads values of `json` columns whose names are as callers get them. */
export const fromJsonText = <Value>(instants: InstantsOf<Value>): ((json: string) => Value) => {
  const fields = instants as Fields;
  return (json) => {
    const value: unknown = JSON.parse(json);
    setInstants(value, fields);
    return value as Value;
  };
};

/**
 * Writes the instants in the JSON of a row as callers get them, without reading the rest. Other texts stay unchanged
 * whatever they say: a quote in a text is escaped, so the name of a field cannot be part of one.
 */
export const withInstants = <Row>(instants: InstantsOf<Row>): ((json: string) => string) => {
  const names = new Set(namesIn(instants as Fields));
  return (json) => {
    let written = "";
    let done = 0;
    for (let end = json.indexOf(utc); end !== -1; end = json.indexOf(utc, end + utc.length)) {
      const begin = json.lastIndexOf('"', end) + 1;
      const nameEnd = endOfName(json, begin);
      if (nameEnd === -1 || !names.has(json.slice(json.lastIndexOf('"', nameEnd - 1) + 1, nameEnd))) continue;
      written += json.slice(done, begin) + instantOf(json.slice(begin, end + utc.length - 1));
      done = end + utc.length - 1;
    }
    return written + json.slice(done);
  };
};

/** How PostgreSQL ends an instant in JSON. */
const utc = '+00:00"';

/** Where the name of the text that begins there ends; -1: it has none. `jsonb` is written with a space after the colon. */
const endOfName = (json: string, begin: number): number => {
  const colon = json[begin - 2] === " " ? begin - 3 : begin - 2;
  return json[colon] === ":" && json[colon - 1] === '"' ? colon - 1 : -1;
};

interface Fields {
  readonly [name: string]: true | Fields;
}

const namesIn = (fields: Fields): readonly string[] =>
  Object.entries(fields).flatMap(([name, inside]) => (inside === true ? [name] : namesIn(inside)));

/** Changes a value that has just been parsed. */
const setInstants = (value: unknown, fields: Fields): void => {
  if (Array.isArray(value)) for (const item of value) setInstants(item, fields);
  else if (typeof value === "object" && value !== null) {
    const found = value as Record<string, unknown>;
    for (const name in fields) {
      const inside = fields[name]!;
      const field = found[name];
      if (inside !== true) setInstants(field, inside);
      else if (typeof field === "string") found[name] = instantOf(field);
    }
  }
};

/** The names of every column met so far; the columns are those of the tables. */
const names = new Map<string, string>();

const nameOf = (column: string): string => {
  let name = names.get(column);
  if (name === undefined) {
    name = postgres.toCamel(column);
    names.set(column, name);
  }
  return name;
};
