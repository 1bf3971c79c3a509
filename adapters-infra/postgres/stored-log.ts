import { recordsOf } from "../../core/model/runs/log-lines.ts";
import type { LogStream } from "../../ports/agent-adapter.ts";

/** The part of a run's log that an earlier writer has stored. */
export interface StoredLog {
  add(ndjson: string, nextOffset: number): void;
  /** Bytes. */
  offset(): number;
  lines(): number;
  /** Returns what of a text is not stored: all of a stream comes again from its beginning, in any pieces. */
  rest(stream: LogStream, text: string): string;
  /** Whether some of what is stored has not come again yet. */
  repeats(): boolean;
}

/**
 * Of the program's output the first characters come again, as many as are stored. What the service and the adapter have said
 * comes again in its order, with gaps: of what was said once more, the stored text is passed over.
 */
export const storedLog = (): StoredLog => {
  let offset = 0;
  let lines = 0;
  let system = "";
  const left = new Map<string, number>();
  const repeats = () => [...left.values()].some((count) => count > 0);
  return {
    add: (ndjson, nextOffset) => {
      const records = recordsOf(ndjson);
      lines += records.length;
      for (const { stream, chunk } of records)
        if (stream === "system") system += chunk;
        else left.set(stream, (left.get(stream) ?? 0) + chunk.length);
      offset = nextOffset;
    },
    offset: () => offset,
    lines: () => lines,
    rest: (stream, text) => {
      if (stream === "system") {
        const at = text === "" ? -1 : system.indexOf(text);
        if (at >= 0) system = system.slice(at + text.length);
        return at >= 0 ? "" : text;
      }
      const count = left.get(stream) ?? 0;
      if (count === 0) return text;
      left.set(stream, Math.max(0, count - text.length));
      return text.slice(count);
    },
    repeats,
  };
};
