import type { ByteRange } from "./byte-range.ts";

/** The shift of a block is stored in one byte. */
const longestWindow = 256;
const blockBytes = 3;

/**
 * Searches many patterns in one pass (Wu–Manber): a window as long as the shortest pattern advances by as much as its
 * last three bytes allow, nearly its whole length in ordinary text. The cost does not grow with the number of patterns,
 * unless the shortest is very short.
 */
export class PatternSearch {
  readonly #patterns: readonly Uint8Array[];
  readonly #window: number;
  readonly #shifts: Uint8Array;
  /** Patterns by the block at the end of their window. */
  readonly #byBlock = new Map<number, Uint8Array[]>();
  /** Patterns by their first byte. */
  readonly #byHead = new Map<number, Uint8Array[]>();
  readonly longest: number;

  constructor(patterns: readonly Uint8Array[]) {
    this.#patterns = patterns.filter(({ length }) => length >= blockBytes);
    this.longest = Math.max(0, ...this.#patterns.map(({ length }) => length));
    this.#window = Math.min(longestWindow, ...this.#patterns.map(({ length }) => length));
    // Each run begins without patterns, and the table is most of what a search holds.
    this.#shifts = new Uint8Array(this.#patterns.length === 0 ? 0 : 1 << 16).fill(
      this.#window - blockBytes + 1,
    );
    for (const pattern of this.#patterns) {
      for (let at = blockBytes - 1; at < this.#window; at++) {
        const block = blockAt(pattern, at);
        this.#shifts[block] = Math.min(this.#shifts[block]!, this.#window - 1 - at);
      }
      push(this.#byBlock, blockAt(pattern, this.#window - 1), pattern);
      push(this.#byHead, pattern[0]!, pattern);
    }
  }

  /** Returns every range that patterns cover, sorted; those that overlap are merged. */
  find(bytes: Uint8Array): readonly ByteRange[] {
    if (this.#patterns.length === 0) return [];
    const found: { start: number; end: number }[] = [];
    const shifts = this.#shifts;
    let at = this.#window - 1;
    while (at < bytes.length) {
      const block = blockAt(bytes, at);
      const shift = shifts[block]!;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const start = at - this.#window + 1;
      for (const pattern of this.#byBlock.get(block) ?? []) {
        if (!isAt(bytes, start, pattern, pattern.length)) continue;
        const end = start + pattern.length;
        const last = found.at(-1);
        if (last === undefined || start >= last.end) found.push({ start, end });
        else last.end = Math.max(last.end, end);
      }
      at += 1;
    }
    return found;
  }

  /** Returns where a pattern could begin at the end of the bytes; their length where none can. */
  openFrom(bytes: Uint8Array): number {
    for (let start = Math.max(0, bytes.length - this.longest + 1); start < bytes.length; start++) {
      const remaining = bytes.length - start;
      for (const pattern of this.#byHead.get(bytes[start]!) ?? [])
        if (pattern.length > remaining && isAt(bytes, start, pattern, remaining)) return start;
    }
    return bytes.length;
  }
}

/** Hashes the three bytes that end at a position; collisions are possible. */
const blockAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at - 2]! << 10) ^ (bytes[at - 1]! << 5) ^ bytes[at]!) & 0xffff;

const push = (map: Map<number, Uint8Array[]>, key: number, pattern: Uint8Array): void => {
  const known = map.get(key);
  if (known === undefined) map.set(key, [pattern]);
  else known.push(pattern);
};

/** Whether that many bytes of the pattern match. */
const isAt = (bytes: Uint8Array, start: number, pattern: Uint8Array, length: number): boolean => {
  if (start + length > bytes.length) return false;
  for (let at = 0; at < length; at++) if (bytes[start + at] !== pattern[at]) return false;
  return true;
};
