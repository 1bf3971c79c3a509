import type { ByteRange } from "./byte-range.ts";

/** The shortest line that an encoder breaks: lines of 57, 60, 64, 72 or 76 are usual. */
const shortestLine = 32;
/** Longer sequences are not line breaks; this bounds the bytes that are held back. */
const mostBackslashes = 8;
const deepestIndentation = 64;

/** Letters of base64 in both alphabets, and of hexadecimal. */
const isLetter = new Uint8Array(256);
for (const letter of Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"))
  isLetter[letter] = 1;

const [newline, carriageReturn, backslash, space, tab, letterN, letterR] = Buffer.from(
  "\n\r\\ \tnr",
) as unknown as readonly [number, number, number, number, number, number, number];

/** Used in place of a number of letters where a backslash directly precedes the bytes. */
const afterBackslash = -1;

/** A text without its line breaks, and the positions of its lines. */
interface Unwrapped {
  readonly bytes: Uint8Array;
  readonly lines: readonly ByteRange[];
  /** It may continue in the next bytes. */
  readonly isOpen: boolean;
}

/**
 * Finds the texts in these bytes that an encoder may have broken into lines: letters of base64, in lines of sufficient
 * length. The breaks may be those of JSON, and lines may be indented. `lettersBefore` is the number of such letters
 * directly before the bytes, or says that a backslash was there.
 */
export const unwrap = (bytes: Uint8Array, lettersBefore: number): readonly Unwrapped[] => {
  const found: Unwrapped[] = [];
  /** No relevant line begins before this position. */
  let from = 0;
  // A line of sufficient length covers one byte of every 32: other bytes are examined only around a letter.
  let at = lettersBefore > 0 ? 0 : shortestLine - 1;
  while (at < bytes.length) {
    if (isLetter[bytes[at]!] === 0) {
      from = at + 1;
      at += shortestLine;
      continue;
    }
    let end = endOfLetters(bytes, at);
    if (afterBreak(bytes, end) > end) {
      const first = { start: startOfLetters(bytes, at, from), end };
      const lines = linesFrom(bytes, first, lettersBefore);
      end = lines.at(-1)!.end;
      if (lines.length > 1)
        found.push({
          bytes: Buffer.concat(lines.map((line) => bytes.subarray(line.start, line.end))),
          lines,
          isOpen: end === bytes.length,
        });
    }
    from = end;
    at = end + shortestLine;
  }
  return found;
};

/** Returns the original position of a byte of the joined lines. */
export const offsetOf = ({ lines }: Unwrapped, at: number): number => {
  let left = at;
  for (const { start, end } of lines) {
    if (left < end - start) return start + left;
    left -= end - start;
  }
  throw new RangeError("beyond the text");
};

/** Returns `lettersBefore` for the bytes that follow these, given its value for these. */
export const lettersAtEnd = (bytes: Uint8Array, lettersBefore: number): number => {
  if (bytes.length === 0) return lettersBefore;
  if (bytes.at(-1) === backslash) return afterBackslash;
  const start = startOfLetters(bytes, bytes.length, Math.max(0, bytes.length - shortestLine));
  const letters = bytes.length - withoutEscape(bytes, start, lettersBefore);
  return start === 0 ? letters + Math.max(0, lettersBefore) : letters;
};

/** Joins the first line with its continuations. A line continues where it has sufficient length and a break follows. */
const linesFrom = (
  bytes: Uint8Array,
  { start, end }: ByteRange,
  lettersBefore: number,
): readonly ByteRange[] => {
  let line = { start: withoutEscape(bytes, start, lettersBefore), end };
  let length = end - line.start + (start === 0 ? Math.max(0, lettersBefore) : 0);
  const lines = [line];
  for (;;) {
    const next = afterBreak(bytes, line.end);
    if (length < shortestLine || next === line.end) return lines;
    line = { start: next, end: endOfLetters(bytes, next) };
    length = line.end - line.start;
    lines.push(line);
  }
};

const endOfLetters = (bytes: Uint8Array, from: number): number => {
  let end = from;
  while (end < bytes.length && isLetter[bytes[end]!] === 1) end += 1;
  return end;
};

/** Returns where the letters before `end` begin, but not before `least`. */
const startOfLetters = (bytes: Uint8Array, end: number, least: number): number => {
  let start = end;
  while (start > least && isLetter[bytes[start - 1]!] === 1) start -= 1;
  return start;
};

/** Returns where the letters at `start` begin, not counting the n or r of a line break in JSON. */
const withoutEscape = (bytes: Uint8Array, start: number, lettersBefore: number): number => {
  const isEscaped = start === 0 ? lettersBefore === afterBackslash : bytes[start - 1] === backslash;
  return isEscaped && (bytes[start] === letterN || bytes[start] === letterR) ? start + 1 : start;
};

/**
 * Returns the end of a line break that begins at `at`, with the following indentation; `at` where none begins there. In
 * JSON, and in JSON inside of JSON, backslashes precede its letters. A sequence cut by the end may be one.
 */
const afterBreak = (bytes: Uint8Array, at: number): number => {
  const isEscaped = bytes[at] === backslash;
  if (!isEscaped && bytes[at] !== newline && bytes[at] !== carriageReturn) return at;
  let end = at;
  const skip = (most: number, ...letters: readonly number[]): void => {
    for (const last = end + most; end < last && letters.includes(bytes[end]!); ) end += 1;
  };
  const skipBackslashes = () => skip(isEscaped ? mostBackslashes : 0, backslash);
  skipBackslashes();
  skip(1, isEscaped ? letterR : carriageReturn);
  skipBackslashes();
  if (end === bytes.length) return end;
  if (bytes[end] !== (isEscaped ? letterN : newline)) return at;
  end += 1;
  skip(deepestIndentation, space, tab);
  return end;
};
