import { type Json, parseObject } from "./json.ts";
import type { TranscriptEntry } from "./transcript.ts";

/** A UI parser of JSON lines. What it does not know, for which `entriesOf` answers null, it shows as it is. */
export const lineParser =
  (entriesOf: (event: Json, ts: string) => TranscriptEntry[] | null) =>
  (line: string, ts: string): TranscriptEntry[] => {
    if (line.trim() === "") return [];
    const event = parseObject(line);
    const entries = event === null ? null : entriesOf(event, ts);
    return entries ?? [{ kind: "stdout", ts, text: line }];
  };
