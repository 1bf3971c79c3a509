import { useCallback, useEffect, useRef, useState } from "react";
import { type AnswerOf, call } from "../../live/calls.ts";
import { type LiveEvent, useLiveEvents } from "../../live/stream.ts";

type Part = AnswerOf<"runs.transcript">;
export type Entry = Part["entries"][number];

/** How much of a log is read at once, and how much of a long one at first: its end. */
const partBytes = 1_048_576;

export interface Reading {
  readonly entries: readonly Entry[];
  readonly notParsedReason: string | null;
  readonly isPending: boolean;
  readonly error: unknown;
  /** Reads what stands before; null where the beginning is shown. */
  readonly earlier: (() => void) | null;
}

/** Reads a transcript from its end, goes on as the run writes, and reads backwards when asked. */
export const useTranscript = (runId: string, bytes: number): Reading => {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [from, setFrom] = useState(() => Math.max(0, bytes - partBytes));
  const [state, setState] = useState<Pick<Reading, "isPending" | "error" | "notParsedReason">>({
    isPending: true,
    error: null,
    notParsedReason: null,
  });
  const next = useRef(from);
  const reading = useRef(false);
  const again = useRef(false);
  const readOn = useCallback(async () => {
    again.current = true;
    if (reading.current) return;
    reading.current = true;
    try {
      while (again.current) {
        again.current = false;
        for (;;) {
          const part = await call("runs.transcript", { runId, offset: next.current, limitBytes: partBytes });
          next.current = part.nextOffset;
          if (part.entries.length > 0) setEntries((before) => [...before, ...part.entries]);
          setState({ isPending: false, error: null, notParsedReason: part.notParsedReason });
          if (part.complete) break;
        }
      }
    } catch (error) {
      setState((before) => ({ ...before, isPending: false, error }));
    } finally {
      reading.current = false;
    }
  }, [runId]);
  useEffect(() => {
    void readOn();
  }, [readOn]);
  useLiveEvents(
    useCallback(
      ({ event, data }: LiveEvent) => {
        if (event.startsWith("heartbeat.run") && data.runId === runId) void readOn();
      },
      [runId, readOn],
    ),
  );
  const earlier = async () => {
    const begin = Math.max(0, from - partBytes);
    const part = await call("runs.transcript", { runId, offset: begin, limitBytes: from - begin });
    setFrom(begin);
    setEntries((after) => [...part.entries, ...after]);
  };
  return { ...state, entries, earlier: from > 0 ? () => void earlier() : null };
};
