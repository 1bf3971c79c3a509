import type { NeedleSearch, Stretch } from "./needle-search.ts";

/** What stands before a line break, when an encoder broke a text there: lines of 57, 60, 64, 72 or 76 are usual. */
const shortestLine = 32;

/** Letters of base64 in both alphabets, and of hexadecimal. */
const isLetter = new Uint8Array(256);
for (const letter of Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"))
  isLetter[letter] = 1;

const [newline, carriageReturn, backslash, space, tab, letterN, letterR] = Buffer.from(
  "\n\r\\ \tnr",
) as unknown as readonly [number, number, number, number, number, number, number];

/**
 * What a run of letters at that place begins after: the n of a line break in JSON is none of them. `runBefore` as in
 * `unwrap`.
 */
const afterEscape = (bytes: Uint8Array, start: number, runBefore: number): number => {
  const first = bytes[start];
  const isEscaped = start === 0 ? runBefore === afterBackslash : bytes[start - 1] === backslash;
  return isEscaped && (first === letterN || first === letterR) ? start + 1 : start;
};

/** Stands for the number of letters before some bytes, where a backslash is directly before them. */
const afterBackslash = -1;

/** A text without its line breaks, and where it was. */
interface Unwrapped {
  readonly bytes: Uint8Array;
  readonly pieces: readonly Stretch[];
  /** Whether it may go on in what comes next. */
  readonly isOpen: boolean;
}

/**
 * The texts in these bytes that an encoder may have broken into lines: letters of base64, in lines that are long enough.
 * The breaks may be those of JSON, and lines may be indented. `runBefore` is how many such letters were directly before
 * the bytes, or that a backslash was. Looks at one byte of 32 where there is nothing of the kind.
 */
const unwrap = (bytes: Uint8Array, runBefore: number): readonly Unwrapped[] => {
  const found: Unwrapped[] = [];
  let at = runBefore > 0 ? 0 : shortestLine - 1;
  let from = 0;
  while (at < bytes.length) {
    if (isLetter[bytes[at]!] === 0) {
      from = at + 1;
      at += shortestLine;
      continue;
    }
    // Most runs end at a space, or too soon: how long they are is not even asked.
    let end = at + 1;
    while (end < bytes.length && isLetter[bytes[end]!] === 1) end += 1;
    let next = afterBreak(bytes, end);
    const pieces: Stretch[] = [];
    if (next > end) {
      let start = at;
      while (start > from && isLetter[bytes[start - 1]!] === 1) start -= 1;
      const isGoingOn = start === 0 && runBefore > 0;
      start = afterEscape(bytes, start, runBefore);
      let length = end - start + (isGoingOn ? runBefore : 0);
      pieces.push({ start, end });
      while (length >= shortestLine && next > end) {
        const begin = next;
        for (end = begin; end < bytes.length && isLetter[bytes[end]!] === 1; ) end += 1;
        pieces.push({ start: begin, end });
        length = end - begin;
        next = afterBreak(bytes, end);
      }
    }
    if (pieces.length > 1)
      found.push({
        bytes: Buffer.concat(pieces.map((piece) => bytes.subarray(piece.start, piece.end))),
        pieces,
        isOpen: end === bytes.length,
      });
    from = end;
    at = end + shortestLine;
  }
  return found;
};

/** Beyond that it is no break, so that nobody can have more and more held back. */
const mostBackslashes = 8;
const deepestIndentation = 64;

/** Where a line break that begins there ends, with the indentation behind it; the same place where none begins there. */
const afterBreak = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at];
  if (first !== newline && first !== backslash && first !== carriageReturn) return at;
  let end = at;
  const skip = (letter: number | undefined, most: number): void => {
    for (const last = end + most; end < last && bytes[end] === letter; ) end += 1;
  };
  const slashes = first === backslash ? mostBackslashes : 0;
  skip(backslash, slashes);
  skip(slashes > 0 ? letterR : carriageReturn, 1);
  skip(backslash, slashes);
  if (end === bytes.length) return end;
  if (bytes[end] !== (slashes > 0 ? letterN : newline)) return at;
  end += 1;
  for (const last = end + deepestIndentation; end < last && (bytes[end] === space || bytes[end] === tab); )
    end += 1;
  return end;
};

/** Finds needles also where they are broken into lines. */
export class LineSearch {
  readonly #search: NeedleSearch;

  constructor(search: NeedleSearch) {
    this.#search = search;
  }

  /** As a search does, in these bytes and from where on their end is open. */
  look(bytes: Uint8Array, runBefore: number): { readonly found: readonly Stretch[]; readonly open: number } {
    const search = this.#search;
    if (search.longest === 0) return { found: [], open: bytes.length };
    let found = search.find(bytes);
    let open = search.openFrom(bytes);
    for (const text of unwrap(bytes, runBefore)) {
      const broken = search
        .find(text.bytes)
        .map(({ start, end }) => ({ start: placeOf(text, start), end: placeOf(text, end - 1) + 1 }));
      if (broken.length > 0) found = united([...found, ...broken]);
      if (text.isOpen) {
        const from = search.openFrom(text.bytes);
        if (from < text.bytes.length) open = Math.min(open, placeOf(text, from));
      }
    }
    return { found, open };
  }

  /**
   * The same where nothing comes any more: what the end was the beginning of was cut off there, by a kill or a limit, and
   * is hidden like the whole, from so many bytes on.
   */
  lookToEnd(bytes: Uint8Array, runBefore: number, fromBytes: number): readonly Stretch[] {
    const { found, open } = this.look(bytes, runBefore);
    return bytes.length - open < fromBytes ? found : united([...found, { start: open, end: bytes.length }]);
  }

  /** What `runBefore` is for what comes after these bytes, `before` being theirs. */
  static runAtEnd(bytes: Uint8Array, before: number): number {
    if (bytes.length === 0) return before;
    if (bytes.at(-1) === backslash) return afterBackslash;
    const least = Math.max(0, bytes.length - shortestLine);
    let at = bytes.length;
    while (at > least && isLetter[bytes[at - 1]!] === 1) at -= 1;
    return bytes.length - afterEscape(bytes, at, before) + (at === 0 ? Math.max(0, before) : 0);
  }
}

const placeOf = ({ pieces }: Unwrapped, at: number): number => {
  let left = at;
  for (const { start, end } of pieces) {
    if (left < end - start) return start + left;
    left -= end - start;
  }
  throw new RangeError("beyond the text");
};

const united = (stretches: readonly Stretch[]): readonly Stretch[] => {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of stretches.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || start > last.end) all.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return all;
};
