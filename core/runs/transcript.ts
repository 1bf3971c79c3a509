import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { RunLogs } from "../../ports/run-log.ts";
import type { UiParser, UiParsers } from "../../ports/ui-parsers.ts";
import { joinLines, type LogRecord, recordsOf } from "../model/runs/log-lines.ts";
import type { ParsedEntry } from "../model/runs/parsed-entries.ts";
import type { RunId } from "../model/shared/ids.ts";

export interface Transcript {
  readonly runId: RunId;
  /** Whether the adapter's own parser made the entries; else lines are shown unparsed. */
  readonly parsed: boolean;
  /** Why lines are unparsed, as a sentence; null if they are parsed or absent. */
  readonly notParsedReason: string | null;
  /** False where the log continues after the part that was read. */
  readonly complete: boolean;
  /** Whether the run may still write: if not, nothing follows a complete part. */
  readonly isLive: boolean;
  /** Where the part begins in the stored log, in bytes: where a line of the log begins. */
  readonly offset: number;
  /** The next offset in the stored log, in bytes. */
  readonly nextOffset: number;
  readonly entries: readonly ParsedEntry[];
}

export interface TranscriptPart {
  readonly runId: RunId;
  readonly uiParser: UiParser | null;
  /** Why no parser is available; null where one is. */
  readonly uiParserProblem: string | null;
  /** 0, or the end of an earlier part; any other moves back to where a line of the log begins. */
  readonly offset: number;
  /** The beginning of a later part: reads the part that ends there, and ignores `offset`; null: none. */
  readonly before: number | null;
  readonly limitBytes: number;
  /** More output may follow: an incomplete last line waits for its end. */
  readonly isLive: boolean;
}

const readAtOnce = 1024 * 1024;
/** Bytes read before a part that begins in the middle: its first line may begin there, and parsers may keep state. */
const readBackBytes = 256 * 1024;
/** As far back the beginning of a part's first line is looked for; a longer line is cut there. */
const longestLineBytes = 4 * 1024 * 1024;

/**
 * Builds the transcript of a part of a log with the adapter's UI parser. A line belongs to the part in which it ends.
 */
export const transcriptOf = Effect.fnUntraced(function* (
  runLogs: RunLogs,
  parsers: UiParsers,
  { runId, uiParser, uiParserProblem, offset, before, limitBytes, isLive }: TranscriptPart,
) {
  const asked = before === null ? offset : Math.max(0, before - limitBytes);
  const back = yield* readBack(runLogs, runId, asked);
  let text = "";
  const { begin } = back;
  let at = begin;
  const end = before ?? begin + limitBytes;
  let complete = false;
  while (at < end && !complete) {
    const part = yield* runLogs.read(runId, at, Math.min(readAtOnce, end - at));
    complete = part.nextOffset === at;
    text += part.content;
    at = part.nextOffset;
  }
  const joiner = joinLines();
  const earlier = joiner.add(recordsOf(back.content));
  const ended = [...joiner.add(recordsOf(text)), ...(complete && !isLive ? joiner.unended() : [])];
  const lines = [...earlier, ...ended];
  const stdout = lines.filter(({ stream }) => stream === "stdout");
  const parsing = yield* Effect.result(
    uiParser === null || uiParserProblem !== null
      ? Effect.fail({ message: uiParserProblem ?? "The adapter has no UI parser." })
      : parsers.parse(uiParser, stdout),
  );
  const parserAnswer = stdout.length > 0 && Result.isSuccess(parsing) ? parsing.success : null;
  let number = 0;
  const entries = lines.flatMap(({ stream, line, ts }, index): readonly ParsedEntry[] => {
    const parsed = stream === "stdout" && parserAnswer !== null ? (parserAnswer[number++] ?? []) : null;
    if (index < earlier.length) return [];
    return parsed ?? (line.trim() === "" ? [] : [{ kind: stream, ts, text: line }]);
  });
  const transcript: Transcript = {
    runId,
    parsed: parserAnswer !== null,
    notParsedReason: stdout.length > 0 && Result.isFailure(parsing) ? parsing.failure.message : null,
    complete,
    isLive,
    offset: begin,
    nextOffset: at,
    entries,
  };
  return transcript;
});

/** Finds the record in which an offset lies, or begins, and what stands before it: at least the end of a line. */
const readBack = Effect.fnUntraced(function* (runLogs: RunLogs, runId: RunId, offset: number) {
  for (let length = Math.min(readBackBytes, offset); ; length = Math.min(length * 2, offset)) {
    const from = offset - length;
    const { content, nextOffset } =
      offset === 0 ? { content: "", nextOffset: 0 } : yield* runLogs.read(runId, from, length);
    // Elsewhere one record is longer than all that was read.
    if (nextOffset <= offset) {
      // The first record is cut.
      const records = from === 0 ? content : content.replace(/^.*\n?/, "");
      if (from === 0 || length >= longestLineBytes || endLines(recordsOf(records)))
        return { content: records, begin: nextOffset };
    }
    if (from === 0) return { content: "", begin: 0 };
  }
});

/** Whether each stream of the records ends a line in them, so that what follows is joined to all of its line. */
const endLines = (records: readonly LogRecord[]): boolean => {
  const ended = new Map<string, boolean>();
  for (const { stream, chunk } of records)
    ended.set(stream, ended.get(stream) === true || chunk.includes("\n"));
  return ended.size > 0 && [...ended.values()].every((ends) => ends);
};
