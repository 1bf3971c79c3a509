/** Puts external text on one line, without control characters, at most `max` long. */
export const oneLine = (text: string, max: number): string => {
  const line = text
    .slice(0, max * 4)
    .toWellFormed()
    .replaceAll(/[\u001b\u009b]\[[0-?]*[ -/]*[@-~]|[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
};

/** Does the same for a longer text and keeps its line breaks. */
export const severalLines = (text: string, max: number): string =>
  storable(text.slice(0, max).replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, " "));

/** Removes what a database cannot store: NUL and halves of surrogate pairs. */
export const storable = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

export const messageOf = (error: unknown): string =>
  oneLine(error instanceof Error ? error.message : String(error), 1000) || "No reason given.";
