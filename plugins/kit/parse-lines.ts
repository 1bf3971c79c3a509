import { type Json, parseObject } from "./json.ts";
import type { TranscriptEntry } from "./transcript.ts";

/** Builds a UI parser of JSON lines. Shows a line unchanged where `entriesOf` returns null. */
export const lineParser =
  (entriesOf: (event: Json, ts: string) => TranscriptEntry[] | null) =>
  (line: string, ts: string): TranscriptEntry[] => {
    if (line.trim() === "") return [];
    const event = parseObject(line);
    const entries = event === null ? null : entriesOf(event, ts);
    return entries ?? [{ kind: "stdout", ts, text: line }];
  };
