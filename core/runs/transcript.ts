import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { RunLogs } from "../../ports/run-log.ts";
import type { ParsedEntry, ParserLine, UiParsers } from "../../ports/ui-parsers.ts";
import type { RunId } from "../shared/ids.ts";

export interface Transcript {
  readonly runId: RunId;
  /** Whether the adapter's own parser made the entries; else lines are shown unparsed. */
  readonly parsed: boolean;
  /** Why lines are unparsed, as a sentence; null where they are parsed or there are none. */
  readonly notParsedReason: string | null;
  /** False where the log continues after the part that was read. */
  readonly complete: boolean;
  /** The next offset in the stored log, in bytes. */
  readonly nextOffset: number;
  readonly entries: readonly ParsedEntry[];
}

export interface TranscriptPart {
  readonly runId: RunId;
  readonly uiParser: string | null;
  /** Why no parser is available; null where one is. */
  readonly uiParserProblem: string | null;
  /** 0, or the end of an earlier part. */
  readonly offset: number;
  readonly limitBytes: number;
  /** More output may follow: an incomplete last line waits for its end. */
  readonly isLive: boolean;
}

const readAtOnce = 1024 * 1024;
/** Bytes read before a part that begins in the middle: its first line may begin there, and parsers may keep state. */
const readBackBytes = 256 * 1024;

/**
 * Builds the transcript of a part of a log with the adapter's UI parser. A line belongs to the part in which it ends.
 */
export const transcriptOf = Effect.fnUntraced(function* (
  runLogs: RunLogs,
  parsers: UiParsers,
  { runId, uiParser, uiParserProblem, offset, limitBytes, isLive }: TranscriptPart,
) {
  const from = Math.max(0, offset - readBackBytes);
  const before = offset === 0 ? nothing : yield* runLogs.read(runId, from, offset - from);
  let text = "";
  let at = Math.min(offset, before.nextOffset);
  const end = at + limitBytes;
  let complete = false;
  while (at < end && !complete) {
    const part = yield* runLogs.read(runId, at, Math.min(readAtOnce, end - at));
    complete = part.nextOffset === at;
    text += part.content;
    at = part.nextOffset;
  }
  const earlier = recordsOf(from === 0 ? before.content : before.content.replace(/^.*\n?/, ""));
  const lines = linesOf(earlier, recordsOf(text), complete && !isLive);
  const stdout = lines.filter(({ stream }) => stream === "stdout");
  const asked = yield* Effect.result(
    uiParser === null || uiParserProblem !== null
      ? Effect.fail({ message: uiParserProblem ?? "The adapter has no UI parser." })
      : parsers.parse(uiParser, stdout),
  );
  const said = stdout.length > 0 && Result.isSuccess(asked) ? asked.success : null;
  let number = 0;
  const entries = lines.flatMap(({ stream, line, ts, isEarlier }): readonly ParsedEntry[] => {
    const parsed = stream === "stdout" && said !== null ? (said[number++] ?? []) : null;
    if (isEarlier) return [];
    return parsed ?? (line.trim() === "" ? [] : [{ kind: stream, ts, text: line }]);
  });
  const transcript: Transcript = {
    runId,
    parsed: said !== null,
    notParsedReason: stdout.length > 0 && Result.isFailure(asked) ? asked.failure.message : null,
    complete,
    nextOffset: at,
    entries,
  };
  return transcript;
});

const nothing = { content: "", nextOffset: 0 };

interface LogRecord {
  readonly ts: string;
  readonly stream: string;
  readonly chunk: string;
}

/** Skips bytes that are no record: an offset from a client may point into the middle of one. */
const recordsOf = (ndjson: string): readonly LogRecord[] =>
  ndjson.split("\n").flatMap((line) => {
    try {
      const record = JSON.parse(line) as Partial<LogRecord> | null;
      return typeof record?.chunk === "string" ? [record as LogRecord] : [];
    } catch {
      return [];
    }
  });

interface LoggedLine extends ParserLine {
  readonly stream: string;
  /** The line ended before the requested part. */
  readonly isEarlier: boolean;
}

/** Joins the chunks of a stream: they end where the program paused, and lines may span them. */
const linesOf = (
  earlier: readonly LogRecord[],
  records: readonly LogRecord[],
  withUnended: boolean,
): readonly LoggedLine[] => {
  const lines: LoggedLine[] = [];
  const begun = new Map<string, BegunLine>();
  const take = (isEarlier: boolean) => (record: LogRecord) => {
    const { ts, stream, chunk } = record;
    // Joined at its end only: a progress display may write one line in many thousands of chunks.
    const [first = "", ...others] = chunk.split("\n");
    const held = begun.get(stream) ?? { ts, pieces: [] };
    if (first !== "") held.pieces.push(first);
    const rest = others.pop();
    if (rest === undefined) {
      if (held.pieces.length > 0) begun.set(stream, held);
      return;
    }
    lines.push({ stream, line: held.pieces.join(""), ts: held.ts, isEarlier });
    for (const line of others) lines.push({ stream, line, ts, isEarlier });
    if (rest === "") begun.delete(stream);
    else begun.set(stream, { ts, pieces: [rest] });
  };
  earlier.forEach(take(true));
  records.forEach(take(false));
  if (withUnended)
    for (const [stream, { pieces, ts }] of begun)
      lines.push({ stream, line: pieces.join(""), ts, isEarlier: false });
  return lines;
};

/** The start of a line with its text so far. */
interface BegunLine {
  readonly ts: string;
  readonly pieces: string[];
}
