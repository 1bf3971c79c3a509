/** Reads the output of a program: any field may be missing or of another type. */
export type Json = Readonly<Record<string, unknown>>;

/** Parses the object of a line; null for other output. */
export const parseObject = (line: string): Json | null => {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    return asObject(JSON.parse(line));
  } catch {
    return null;
  }
};

export const asObject = (value: unknown): Json | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;

export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Reads a number of tokens: whole, not negative. */
export const asCount = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;

/** Returns the objects of a list and omits other elements. */
export const asObjects = (value: unknown): readonly Json[] =>
  asList(value).flatMap((entry): Json[] => {
    const object = asObject(entry);
    return object === null ? [] : [object];
  });
