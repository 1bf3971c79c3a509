import type { Stretch } from "./stretch.ts";

/** The shift of a block is stored in one byte. */
const longestWindow = 256;
const blockBytes = 3;

/**
 * Searches many needles in one pass (Wu–Manber): a window as long as the shortest needle advances by as much as its
 * last three bytes allow, nearly its whole length in ordinary text. The cost does not grow with the number of needles,
 * unless the shortest is very short.
 */
export class NeedleSearch {
  readonly #needles: readonly Uint8Array[];
  readonly #window: number;
  readonly #shifts: Uint8Array;
  /** Needles by the block at the end of their window. */
  readonly #byBlock = new Map<number, Uint8Array[]>();
  /** Needles by their first byte. */
  readonly #byHead = new Map<number, Uint8Array[]>();
  readonly longest: number;

  constructor(needles: readonly Uint8Array[]) {
    this.#needles = needles.filter(({ length }) => length >= blockBytes);
    this.longest = Math.max(0, ...this.#needles.map(({ length }) => length));
    this.#window = Math.min(longestWindow, ...this.#needles.map(({ length }) => length));
    // Each run begins without needles, and the table is most of what a search holds.
    this.#shifts = new Uint8Array(this.#needles.length === 0 ? 0 : 1 << 16).fill(
      this.#window - blockBytes + 1,
    );
    for (const needle of this.#needles) {
      for (let at = blockBytes - 1; at < this.#window; at++) {
        const block = blockAt(needle, at);
        this.#shifts[block] = Math.min(this.#shifts[block]!, this.#window - 1 - at);
      }
      push(this.#byBlock, blockAt(needle, this.#window - 1), needle);
      push(this.#byHead, needle[0]!, needle);
    }
  }

  /** Returns every stretch that needles cover, sorted; those that overlap are merged. */
  find(bytes: Uint8Array): readonly Stretch[] {
    if (this.#needles.length === 0) return [];
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
      for (const needle of this.#byBlock.get(block) ?? []) {
        if (!isAt(bytes, start, needle, needle.length)) continue;
        const end = start + needle.length;
        const last = found.at(-1);
        if (last === undefined || start >= last.end) found.push({ start, end });
        else last.end = Math.max(last.end, end);
      }
      at += 1;
    }
    return found;
  }

  /** Returns where a needle could begin at the end of the bytes; their length where none can. */
  openFrom(bytes: Uint8Array): number {
    for (let start = Math.max(0, bytes.length - this.longest + 1); start < bytes.length; start++) {
      const left = bytes.length - start;
      for (const needle of this.#byHead.get(bytes[start]!) ?? [])
        if (needle.length > left && isAt(bytes, start, needle, left)) return start;
    }
    return bytes.length;
  }
}

/** Hashes the three bytes that end at a position; collisions are possible. */
const blockAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at - 2]! << 10) ^ (bytes[at - 1]! << 5) ^ bytes[at]!) & 0xffff;

const push = (map: Map<number, Uint8Array[]>, key: number, needle: Uint8Array): void => {
  const known = map.get(key);
  if (known === undefined) map.set(key, [needle]);
  else known.push(needle);
};

/** Whether that many bytes of the needle match. */
const isAt = (bytes: Uint8Array, start: number, needle: Uint8Array, length: number): boolean => {
  if (start + length > bytes.length) return false;
  for (let at = 0; at < length; at++) if (bytes[start + at] !== needle[at]) return false;
  return true;
};
