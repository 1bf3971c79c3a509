import * as Effect from "effect/Effect";
import type { LogStream } from "../../../ports/agent-adapter.ts";
import type { RunLogWriter } from "../../../ports/run-log.ts";
import type { MaskedStream } from "./masked-stream.ts";
import { Masking } from "./masking.ts";

/** A run's log that hides the values of the run once they are known. */
export interface MaskedLog extends RunLogWriter {
  /** Masks these, too, from now on. Nothing of the run's program is written before. */
  hide(values: readonly string[]): void;
  /** Masks any other text that is stored of the run. */
  masked<T>(value: T): T;
}

export const maskedLog = (log: RunLogWriter): MaskedLog => {
  const hidden = new Set<string>();
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
      const before = hidden.size;
      for (const value of values) hidden.add(value);
      // Making it costs as much as a statement, and most runs have no value but their token.
      if (hidden.size > before) masking = new Masking([...hidden]);
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
