/** Words from outside on one line, for people: no control characters, no end of the world. */
export const oneLine = (text: string, max: number): string => {
  const line = text
    .slice(0, max * 4)
    .toWellFormed()
    .replaceAll(/[\u001b\u009b]\[[0-?]*[ -/]*[@-~]|[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
};

/** The same of a longer text, which keeps its lines. */
export const severalLines = (text: string, max: number): string =>
  storable(text.slice(0, max).replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, " "));

/** What a database keeps of a text: all but NUL and halves of characters. */
export const storable = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

export const messageOf = (error: unknown): string =>
  oneLine(error instanceof Error ? error.message : String(error), 1000) || "It said nothing about why.";
