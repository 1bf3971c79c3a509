import type { LogStream, ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { ProgramSpec } from "../../ports/process-runner.ts";
import { leftOutLine, watchOutput } from "../local/process-output.ts";
import { readFrame } from "./protocol.ts";

/**
 * Reads a helper's lines, each once and in order, however often the engine repeats them. `onConfirmed` hears up to which
 * message the helper has its input.
 */
export const frameReader = (
  spec: ProgramSpec,
  write: (stream: LogStream, chunk: Uint8Array) => Promise<void>,
  onConfirmed: (upTo: number) => void,
) => {
  const output = watchOutput(spec);
  let last = 0;
  let lastAt: number | null = null;
  let outcome: ProcessOutcome | null = null;
  return {
    take: async (line: string): Promise<void> => {
      const frame = readFrame(line);
      if (frame === null || frame.n <= last || outcome !== null) return;
      if (frame.n > last + 1)
        await write(
          "system",
          Buffer.from(`[${frame.n - last - 1} pieces of output were lost: the engine dropped them.]\n`),
        );
      last = frame.n;
      lastAt = frame.t;
      if (frame.s === "x") {
        output.stdout(null);
        outcome = frame.x ?? null;
        return;
      }
      if (frame.s === "i") {
        onConfirmed(frame.i ?? 0);
        return;
      }
      const chunk = Buffer.from(frame.d ?? "", "base64");
      const stream = frame.s === "e" ? "stderr" : "stdout";
      output[stream](chunk);
      await write(stream, chunk);
      if (output.linesLeftOut() > 0) await write("system", leftOutLine);
      await spec.keepPace?.();
    },
    /** How the program ended; null while the helper has not said. */
    outcome: () => outcome,
    /** The number of the last line. */
    count: () => last,
    hasResult: () => output.hasResult(),
    stderrTail: () => output.stderrTail(),
    /** When the last line was printed, in milliseconds on the helper's clock; null before the first. */
    lastAt: () => lastAt,
  };
};

export type FrameReader = ReturnType<typeof frameReader>;
