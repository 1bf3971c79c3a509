import * as Effect from "effect/Effect";
import type { RunLogs } from "../../ports/run-log.ts";
import type { ParsedEntry, ParserLine, UiParsers } from "../../ports/ui-parsers.ts";
import type { RunId } from "../shared/ids.ts";

export interface Transcript {
  readonly runId: RunId;
  /** Whether the adapter's own parser made the entries; else lines are shown as they are. */
  readonly parsed: boolean;
  /** False where the log goes on beyond what was read. */
  readonly complete: boolean;
  readonly entries: readonly ParsedEntry[];
}

const readAtOnce = 1024 * 1024;

/** What a run said, as its adapter's UI parser tells it, from the beginning of its log. */
export const transcriptOf = Effect.fnUntraced(function* (
  runLogs: RunLogs,
  parsers: UiParsers,
  { runId, uiParser, limitBytes }: { runId: RunId; uiParser: string | null; limitBytes: number },
) {
  let text = "";
  let offset = 0;
  let complete = false;
  while (offset < limitBytes) {
    const part = yield* runLogs.read(runId, offset, Math.min(readAtOnce, limitBytes - offset));
    if (part.nextOffset === offset) {
      complete = true;
      break;
    }
    text += part.content;
    offset = part.nextOffset;
  }
  const lines = linesOf(text);
  const stdout = lines.filter(({ stream }) => stream === "stdout");
  const said = uiParser === null || stdout.length === 0 ? null : yield* parsers.parse(uiParser, stdout);
  let at = 0;
  const entries = lines.flatMap(({ stream, line, ts }): readonly ParsedEntry[] => {
    if (stream === "stdout" && said !== null) return said[at++] ?? [];
    return line.trim() === "" ? [] : [{ kind: stream, ts, text: line }];
  });
  const transcript: Transcript = { runId, parsed: said !== null, complete, entries };
  return transcript;
});

interface LoggedLine extends ParserLine {
  readonly stream: string;
}

/** Chunks of a stream end where the program paused; its lines go over their ends. */
const linesOf = (ndjson: string): readonly LoggedLine[] => {
  const lines: LoggedLine[] = [];
  const begun = new Map<string, ParserLine>();
  for (const record of ndjson.split("\n")) {
    if (record === "") continue;
    const { ts, stream, chunk } = JSON.parse(record) as { ts: string; stream: string; chunk: string };
    const held = begun.get(stream);
    const parts = `${held?.line ?? ""}${chunk}`.split("\n");
    const rest = parts.pop() ?? "";
    parts.forEach((line, number) => {
      lines.push({ stream, line, ts: number === 0 ? (held?.ts ?? ts) : ts });
    });
    if (rest === "") begun.delete(stream);
    else begun.set(stream, { line: rest, ts: parts.length === 0 ? (held?.ts ?? ts) : ts });
  }
  for (const [stream, { line, ts }] of begun) lines.push({ stream, line, ts });
  return lines;
};
