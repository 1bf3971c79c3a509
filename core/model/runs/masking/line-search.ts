import { type ByteRange, united } from "./byte-range.ts";
import type { PatternSearch } from "./pattern-search.ts";
import { offsetOf, unwrap } from "./wrapped-text.ts";

/** Finds patterns, including those that an encoder broke into lines. */
export class LineSearch {
  readonly #search: PatternSearch;
  readonly #cutFromBytes: number;

  /** The beginning of a pattern at the very end is hidden like a complete one from `cutFromBytes` on. */
  constructor(search: PatternSearch, cutFromBytes: number) {
    this.#search = search;
    this.#cutFromBytes = cutFromBytes;
  }

  /** Returns the ranges that patterns cover, and where a pattern may begin at the end. */
  search(bytes: Uint8Array, lettersBefore: number): { found: readonly ByteRange[]; open: number } {
    const search = this.#search;
    if (search.longest === 0) return { found: [], open: bytes.length };
    let found = united(search.find(bytes));
    let open = search.openFrom(bytes);
    for (const text of unwrap(bytes, lettersBefore)) {
      const broken = search
        .find(text.bytes)
        .map(({ start, end }) => ({ start: offsetOf(text, start), end: offsetOf(text, end - 1) + 1 }));
      if (broken.length > 0) found = united([...found, ...broken]);
      if (!text.isOpen) continue;
      const from = search.openFrom(text.bytes);
      if (from < text.bytes.length) open = Math.min(open, offsetOf(text, from));
    }
    return { found, open };
  }

  /** The same for the last bytes: a kill or a limit has cut the end off. */
  searchToEnd(bytes: Uint8Array, lettersBefore: number): readonly ByteRange[] {
    const { found, open } = this.search(bytes, lettersBefore);
    return bytes.length - open < this.#cutFromBytes
      ? found
      : united([...found, { start: open, end: bytes.length }]);
  }
}
