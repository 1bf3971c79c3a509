import type { TranscriptEntry } from "../../kit/transcript.ts";

/** An answer has no structure that we know: each line is shown as it is. */
export const parseStdoutLine = (line: string, ts: string): TranscriptEntry[] =>
  line.trim() === "" ? [] : [{ kind: "stdout", ts, text: line }];
