import * as Effect from "effect/Effect";
import type { LogStream } from "../../../ports/agent-adapter.ts";
import type { RunLogWriter } from "../../../ports/run-log.ts";
import type { MaskedStream } from "../../model/runs/masking/masked-stream.ts";
import { Masking } from "../../model/runs/masking/masking.ts";

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
  const streams = new Map<LogStream, { readonly stream: MaskedStream; readonly by: Masking }>();
  const pushed = (name: LogStream, chunk: Uint8Array): Uint8Array => {
    const known = streams.get(name);
    if (known?.by === masking) return known.stream.push(chunk);
    // It began before all values were known.
    const rest = known?.stream.end() ?? new Uint8Array();
    const stream = masking.stream();
    streams.set(name, { stream, by: masking });
    return Buffer.concat([rest, stream.push(chunk)]);
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
        const bytes = pushed(name, typeof chunk === "string" ? Buffer.from(chunk, "utf8") : chunk);
        return bytes.length === 0 ? Effect.void : log.write(name, bytes);
      }),
    tail: () => log.tail(),
    close: () =>
      Effect.suspend(() =>
        Effect.forEach(
          [...streams],
          ([name, { stream }]) => {
            const rest = stream.end();
            return rest.length === 0 ? Effect.void : log.write(name, rest);
          },
          { discard: true },
        ),
      ).pipe(Effect.andThen(log.close())),
  };
};
