import type { LineSearch } from "./line-search.ts";
import type { Stretch } from "./stretch.ts";
import { lettersAtEnd } from "./wrapped-text.ts";

/** Says of some bytes that no mask reaches up to them. */
const away = -1;

/**
 * A stream of output with its values masked. It holds back what may be the beginning of a value until more comes;
 * everything else passes at once, as it came where there is nothing to hide.
 */
export class MaskedStream {
  readonly #search: LineSearch;
  readonly #mask: Uint8Array;
  #held: Uint8Array = new Uint8Array();
  /** As `unwrap` takes it, of what is held. */
  #lettersBefore = 0;
  /** How many of the held bytes lie behind a mask that is written already: 0 directly after one. */
  #behindMask = away;
  hasHidden = false;

  constructor(search: LineSearch, mask: string) {
    this.#search = search;
    this.#mask = Buffer.from(mask, "utf8");
  }

  push(chunk: Uint8Array): Uint8Array {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const { found, open } = this.#search.look(bytes, this.#lettersBefore);
    return this.#pass(bytes, open, found);
  }

  end(): Uint8Array {
    const bytes = this.#held;
    return this.#pass(bytes, bytes.length, this.#search.lookToEnd(bytes, this.#lettersBefore));
  }

  /** The bytes up to `until` with what was found hidden. The others are held. */
  #pass(bytes: Uint8Array, until: number, found: readonly Stretch[]): Uint8Array {
    const begun = found.filter(({ start }) => start < until);
    const passed = until === bytes.length ? bytes : bytes.subarray(0, until);
    const masked = this.#hide(passed, begun);
    const lastHidden = Math.max(this.#behindMask, begun.at(-1)?.end ?? away);
    this.#behindMask = Math.max(away, lastHidden - until);
    this.#lettersBefore = lettersAtEnd(passed, this.#lettersBefore);
    this.#held = bytes.subarray(until);
    this.hasHidden ||= begun.length > 0;
    return masked;
  }

  /** Each stretch behind one mask; one that begins behind the mask before needs none of its own. */
  #hide(bytes: Uint8Array, stretches: readonly Stretch[]): Uint8Array {
    if (stretches.length === 0 && this.#behindMask <= 0) return bytes;
    const parts: Uint8Array[] = [];
    let at = Math.max(0, this.#behindMask);
    for (const { start, end } of stretches) {
      if (start > this.#behindMask) parts.push(bytes.subarray(at, start), this.#mask);
      at = Math.max(at, end);
    }
    parts.push(bytes.subarray(at));
    return Buffer.concat(parts);
  }
}
