import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type { ProcessSupervision, ProgramSpec } from "../../ports/process-runner.ts";
import type { ProgramOutput } from "./program-output.ts";

/** Limit of one line given to `onStdoutLine`, in characters. A longer line is cut, or left out, there only. */
export const maxLineLength = 4 * 1024 * 1024;

const stderrTailBytes = 4 * 1024;

/** Progress of a program's output. */
export interface OutputWatch {
  /** Done once the adapter has found the result in a line. */
  readonly result: Deferred.Deferred<void>;
  hasResult(): boolean;
  /** null marks the end, here and below. */
  stdout(chunk: Uint8Array | null): void;
  stderr(chunk: Uint8Array | null): void;
  stderrTail(): string;
  /** Lines left out since it was asked last. */
  linesLeftOut(): number;
  /** Chunks read so far, chunks the log is writing now, and the time (performance.now) of the last write. */
  readonly progress: { chunks: number; writing: number; lastOutputAt: number };
}

/** Collects lines for the adapter and the tail of stderr, in addition to the log. */
export const watchOutput = (spec: ProgramSpec): OutputWatch => {
  const result = Deferred.makeUnsafe<void>();
  const progress = { chunks: 0, writing: 0, lastOutputAt: performance.now() };
  let tail: Uint8Array = new Uint8Array(0);
  let leftOut = 0;
  const lines = lineSplitter((line, isCut) => {
    // A part of a message is none.
    if (isCut && spec.onInput !== undefined) {
      leftOut += 1;
      return;
    }
    const handled = spec.onStdoutLine?.(line);
    if (handled === true) Deferred.doneUnsafe(result, Effect.void);
    else if (handled instanceof Promise)
      void handled.then(
        (isResult) => isResult === true && Deferred.doneUnsafe(result, Effect.void),
        () => undefined,
      );
  });
  return {
    result,
    progress,
    hasResult: () => Deferred.isDoneUnsafe(result),
    stdout: (chunk) => {
      progress.chunks += 1;
      if (spec.onStdoutLine === undefined) return;
      if (chunk === null) lines.end();
      else lines.write(chunk);
    },
    stderr: (chunk) => {
      progress.chunks += 1;
      if (chunk === null) return;
      const joined = Buffer.concat([tail, chunk.subarray(Math.max(0, chunk.length - stderrTailBytes))]);
      tail = joined.subarray(Math.max(0, joined.length - stderrTailBytes));
    },
    stderrTail: () => {
      // A cut within a character leaves continuation bytes in front.
      let from = 0;
      while (from < 4 && from < tail.length && ((tail[from] ?? 0) & 0xc0) === 0x80) from += 1;
      return new TextDecoder().decode(tail.subarray(from)).trimEnd();
    },
    linesLeftOut: () => {
      const count = leftOut;
      leftOut = 0;
      return count;
    },
  };
};

/**
 * Cuts a stream of bytes into lines. Joins characters split over chunks, replaces invalid UTF-8 with U+FFFD, cuts a
 * line at `maxLineLength`, and accepts a last line without newline.
 */
export const lineSplitter = (onLine: (line: string, isCut: boolean) => void) => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let pieces: string[] = [];
  let length = 0;
  let isCut = false;

  const add = (piece: string) => {
    const room = maxLineLength - length;
    if (piece.length > room) isCut = true;
    if (room <= 0 || piece === "") return;
    pieces.push(piece.length > room ? piece.slice(0, room) : piece);
    length += Math.min(piece.length, room);
  };
  const finish = () => {
    const line = pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
    const wasCut = isCut;
    pieces = [];
    length = 0;
    isCut = false;
    onLine(line.endsWith("\r") ? line.slice(0, -1) : line, wasCut);
  };
  const take = (text: string) => {
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      add(text.slice(from, at));
      finish();
      from = at + 1;
    }
    add(text.slice(from));
  };
  return {
    write: (chunk: Uint8Array) => take(decoder.decode(chunk, { stream: true })),
    end: () => {
      take(decoder.decode());
      if (length > 0) finish();
    },
  };
};

/** Says so in the run's log. */
export const leftOutLine = Buffer.from(
  `A line of more than ${maxLineLength / 1024 / 1024} Mi characters is left out: the adapter did not get it.\n`,
);

/** Reads one stream to its end at the speed of the log: the pipe fills and the program waits. */
export const pump = (
  from: ProgramOutput | null,
  stream: "stdout" | "stderr",
  supervision: ProcessSupervision,
  output: OutputWatch,
  keepPace?: ProgramSpec["keepPace"],
): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (from === null) return;
    for (;;) {
      const chunk = yield* from.next();
      output[stream](chunk);
      if (chunk === null) return;
      output.progress.writing += 1;
      yield* supervision.onOutput(stream, chunk);
      if (output.linesLeftOut() > 0) yield* supervision.onOutput("system", leftOutLine);
      const behind = keepPace?.();
      if (behind !== undefined) yield* Effect.promise(() => behind);
      output.progress.writing -= 1;
      output.progress.lastOutputAt = performance.now();
    }
  });
