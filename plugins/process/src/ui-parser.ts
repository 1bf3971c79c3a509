import type { TranscriptEntry } from "../../kit/transcript.ts";

/** Shows each line unchanged: a program's output has no known structure. */
export const parseStdoutLine = (line: string, ts: string): TranscriptEntry[] =>
  line.trim() === "" ? [] : [{ kind: "stdout", ts, text: line }];
