import type { ByteRange } from "./byte-range.ts";
import type { LineSearch } from "./line-search.ts";
import { lettersAtEnd } from "./wrapped-text.ts";

/** No mask is adjacent to these bytes. */
const away = -1;

/**
 * Masks values in a stream of output. It holds back what may be the beginning of a value until more comes; everything
 * else passes at once, unchanged where nothing is hidden.
 */
export class MaskedStream {
  readonly #search: LineSearch;
  readonly #mask: Uint8Array;
  #held: Uint8Array = new Uint8Array();
  /** `lettersBefore` of the pending bytes, as `unwrap` expects it. */
  #lettersBefore = 0;
  /** The number of pending bytes since the last mask that was written: 0 directly after it. */
  #behindMask = away;
  hasHidden = false;

  constructor(search: LineSearch, mask: string) {
    this.#search = search;
    this.#mask = Buffer.from(mask, "utf8");
  }

  push(chunk: Uint8Array): Uint8Array {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const { found, open } = this.#search.search(bytes, this.#lettersBefore);
    return this.#pass(bytes, open, found);
  }

  end(): Uint8Array {
    const bytes = this.#held;
    return this.#pass(bytes, bytes.length, this.#search.searchToEnd(bytes, this.#lettersBefore));
  }

  /** Returns the bytes up to `until` with the found values masked; the rest stays pending. */
  #pass(bytes: Uint8Array, until: number, found: readonly ByteRange[]): Uint8Array {
    const begun = found.filter(({ start }) => start < until);
    const passed = until === bytes.length ? bytes : bytes.subarray(0, until);
    const masked = this.#hide(passed, begun);
    const lastHidden = Math.max(this.#behindMask, begun.at(-1)?.end ?? away);
    this.#behindMask = Math.max(away, lastHidden - until);
    this.#lettersBefore = lettersAtEnd(passed, this.#lettersBefore);
    // A copy: the reader of a pipe uses the memory of the chunk again.
    this.#held = Uint8Array.from(bytes.subarray(until));
    this.hasHidden ||= begun.length > 0;
    return masked;
  }

  /** Replaces each range by one mask; one that directly follows the previous mask needs none. */
  #hide(bytes: Uint8Array, ranges: readonly ByteRange[]): Uint8Array {
    if (ranges.length === 0 && this.#behindMask <= 0) return bytes;
    const parts: Uint8Array[] = [];
    let at = Math.max(0, this.#behindMask);
    for (const { start, end } of ranges) {
      if (start > this.#behindMask) parts.push(bytes.subarray(at, start), this.#mask);
      at = Math.max(at, end);
    }
    parts.push(bytes.subarray(at));
    return Buffer.concat(parts);
  }
}
