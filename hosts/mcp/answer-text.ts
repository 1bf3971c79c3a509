/** The most characters of an answer: programs cut longer ones, each in its own way (codex at 12 KB). */
export const mostCharacters = 10_000;

/** Room for the line about how to continue. */
const room = 200;

/** The answer of a tool, whole. */
export interface ToolText {
  readonly text: string;
  /** Where the caller wants it to begin. */
  readonly offset?: number | undefined;
  /** How to read what follows this answer; it stands at the end of the last part. */
  readonly next?: string | undefined;
}

/** Returns a part of an answer, with how to read the rest. */
export const partOf = ({ text, offset = 0, next }: ToolText): string => {
  const whole = next === undefined ? text : `${text}\n\n${next}`;
  if (offset === 0 && whole.length <= mostCharacters) return whole;
  if (offset >= whole.length && offset > 0)
    return `There is nothing from character ${offset} on: the answer has ${whole.length}.`;
  const end = endOf(whole, offset);
  const remaining = whole.length - end;
  const part = whole.slice(offset, end);
  return remaining === 0
    ? part
    : `${part}\n\n[${remaining} more characters: make the same call with "offset": ${end}]`;
};

/** Ends a part between characters, not within one. */
const endOf = (text: string, offset: number): number => {
  const end = offset + mostCharacters - room;
  if (end >= text.length) return text.length;
  return text.slice(0, end).isWellFormed() || !text.isWellFormed() ? end : end - 1;
};

/** How many characters are left for something variable after a fixed beginning. */
export const roomAfter = (text: string): number => mostCharacters - room - text.length;

/** Joins lines, and leaves out those that say nothing. */
export const lines = (...each: readonly (string | null | undefined | false)[]): string =>
  each.filter((line) => typeof line === "string" && line !== "").join("\n");
