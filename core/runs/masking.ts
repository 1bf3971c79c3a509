import * as Effect from "effect/Effect";
import type { LogStream } from "../../ports/agent-adapter.ts";
import type { RunLogWriter } from "../../ports/run-log.ts";
import { mask } from "../agents/agent-config.ts";
import { maskedFromLength } from "../secrets/secret.ts";
import { NeedleSearch, type Stretch } from "./needle-search.ts";
import { formsOf } from "./secret-forms.ts";
import { LineSearch } from "./wrapped-lines.ts";

const maskBytes: Uint8Array = Buffer.from(mask, "utf8");

/** What hides the values that a run was given, in all that is kept of it. */
export class Masking {
  readonly #search: LineSearch;

  constructor(values: readonly string[]) {
    const forms = new Map(
      values.flatMap(formsOf).map((form) => [Buffer.from(form).toString("latin1"), form]),
    );
    this.#search = new LineSearch(new NeedleSearch([...forms.values()]));
  }

  text(text: string): string {
    const bytes = Buffer.from(text, "utf8");
    const found = this.#search.lookToEnd(bytes, 0, maskedFromLength);
    return found.length === 0 ? text : Buffer.from(covered(bytes, found, -1, bytes.length)).toString("utf8");
  }

  /** The same with every text in it masked, names of fields too. */
  deep<T>(value: T): T {
    if (typeof value === "string") return this.text(value) as T;
    if (Array.isArray(value)) return value.map((item) => this.deep(item)) as T;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [this.text(name), this.deep(item)]),
    ) as T;
  }

  stream(): MaskedStream {
    return new MaskedStream(this.#search);
  }
}

/**
 * One stream of output. What could be the beginning of a value is held back until more of it comes; everything else
 * goes through at once, as it came where there is nothing to hide.
 */
export class MaskedStream {
  readonly #search: LineSearch;
  #held: Uint8Array = new Uint8Array();
  /** Letters directly before what is held that may be the beginning of a broken line. */
  #runBefore = 0;
  /** How much of what is held lies under a mask that was written already: 0 directly behind one, -1 away from any. */
  #maskedAhead = -1;

  constructor(search: LineSearch) {
    this.#search = search;
  }

  push(chunk: Uint8Array): Uint8Array {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    return this.#take(bytes, false);
  }

  end(): Uint8Array {
    return this.#take(this.#held, true);
  }

  #take(bytes: Uint8Array, isEnd: boolean): Uint8Array {
    const { found, open: until } = isEnd
      ? { found: this.#search.lookToEnd(bytes, this.#runBefore, maskedFromLength), open: bytes.length }
      : this.#search.look(bytes, this.#runBefore);
    const ahead = this.#maskedAhead;
    const last = found.findLast(({ start }) => start < until);
    this.#held = bytes.subarray(until);
    this.#runBefore = LineSearch.runAtEnd(bytes.subarray(0, until), this.#runBefore);
    this.#maskedAhead = Math.max(-1, Math.max(ahead, last?.end ?? -1) - until);
    if (found.length === 0 && ahead <= 0) return until === bytes.length ? bytes : bytes.subarray(0, until);
    return covered(bytes, found, ahead, until);
  }
}

/** The bytes up to `until`, each stretch behind one mask. The first `ahead` bytes are behind one already; -1 for none. */
const covered = (bytes: Uint8Array, found: readonly Stretch[], ahead: number, until: number): Uint8Array => {
  const parts: Uint8Array[] = [];
  let at = Math.max(0, Math.min(ahead, until));
  for (const { start, end } of found) {
    if (start >= until) break;
    const goesOn = start <= ahead;
    if (!goesOn) parts.push(bytes.subarray(at, start), maskBytes);
    at = Math.max(at, Math.min(end, until));
  }
  if (at < until) parts.push(bytes.subarray(at, until));
  return Buffer.concat(parts);
};

/** A run's log that hides the values of the run once they are known. */
export interface MaskedLog extends RunLogWriter {
  /** From now on. Nothing of the run's program is written before. */
  hide(values: readonly string[]): void;
  /** Anything else that is kept of the run. */
  masked<T>(value: T): T;
}

export const maskedLog = (log: RunLogWriter): MaskedLog => {
  let masking = new Masking([]);
  const streams = new Map<LogStream, MaskedStream>();
  const streamOf = (name: LogStream): MaskedStream => {
    const known = streams.get(name);
    if (known !== undefined) return known;
    const fresh = masking.stream();
    streams.set(name, fresh);
    return fresh;
  };
  return {
    hide: (values) => {
      masking = new Masking(values);
    },
    masked: (value) => masking.deep(value),
    write: (name, chunk) =>
      Effect.suspend(() => {
        const bytes = streamOf(name).push(typeof chunk === "string" ? Buffer.from(chunk, "utf8") : chunk);
        return bytes.length === 0 ? Effect.void : log.write(name, bytes);
      }),
    tail: () => log.tail(),
    close: () =>
      Effect.suspend(() =>
        Effect.forEach(
          [...streams],
          ([name, stream]) => {
            const rest = stream.end();
            return rest.length === 0 ? Effect.void : log.write(name, rest);
          },
          { discard: true },
        ),
      ).pipe(Effect.andThen(log.close())),
  };
};
