import type { Fragment, Sql } from "postgres";

/**
 * A part of statements without values, as text that is written once. Of fragments the client makes objects for each
 * statement and joins them anew: for the 20 of an issue's detail that took a tenth of its request.
 */
export const fixedText = (write: (sql: Sql) => Fragment): ((sql: Sql) => Fragment) => {
  let text: Fragment | null = null;
  return (sql) => {
    // A fragment of text belongs to no connection. The client finds a prepared statement by its text: short is better.
    text ??= sql.unsafe(textOf(write(sql)).replace(/\n\s+/g, "\n"));
    return text;
  };
};

/** A fragment as the client has it: each argument stands between two strings. */
interface Parts {
  readonly strings: readonly string[];
  readonly args: readonly unknown[];
}

const textOf = (fragment: unknown): string => {
  const { strings, args } = fragment as Parts;
  if (!Array.isArray(strings)) throw new Error("A fixed text has no values.");
  return strings.reduce((text, string, n) => text + textOf(args[n - 1]) + string);
};
