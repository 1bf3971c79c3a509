/** An entry of a transcript, of any kind that the parser returns. */
export type ParsedEntry = Readonly<Record<string, unknown>> & { readonly kind: string; readonly ts: string };

/** Reads a UI parser's result for a number of lines, as JSON text; null unless it has a list for each line. */
export const readEntries = (text: string, lines: number): readonly (readonly ParsedEntry[])[] | null => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(parsed) || parsed.length !== lines) return null;
  return parsed.map((entries: unknown) => (Array.isArray(entries) ? entries.filter(isEntry) : []));
};

const isEntry = (entry: unknown): entry is ParsedEntry =>
  typeof entry === "object" &&
  entry !== null &&
  "kind" in entry &&
  typeof entry.kind === "string" &&
  "ts" in entry &&
  typeof entry.ts === "string";
