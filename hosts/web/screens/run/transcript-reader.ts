import { useCallback, useEffect, useRef, useState } from "react";
import type { ParsedEntry } from "../../../../core/model/runs/parsed-entries.ts";
import { call } from "../../live/calls.ts";
import type { LiveEvent } from "../../live/live-event.ts";
import { useRunLog } from "../../live/stream.ts";
import { type LiveParser, openLiveParser } from "./live-parser.ts";

export type Entry = ParsedEntry;

/** How much of a long log is read at first: enough to fill a screen many times. */
const firstBytes = 64 * 1024;
/** How much is read at once from then on. */
const partBytes = 512 * 1024;
/** How much is read at once where all of it is wanted. */
const earlierBytes = 4 * 1024 * 1024;

export interface TranscriptState {
  readonly entries: readonly Entry[];
  /** Numbers the entries: the first one's number, which falls as earlier ones are read. */
  readonly firstKey: number;
  /** The offset of the first entry in the log: 0 where the beginning is there. */
  readonly from: number;
  readonly notParsedReason: string | null;
  readonly isPending: boolean;
  readonly error: unknown;
}

/** A piece of a log, as the event stream brings it. */
interface Piece {
  readonly byteOffset: number;
  readonly bytes: number;
  readonly content: string;
}

interface Reader {
  /** Reads what stands before what is there; all of it, or one part. */
  earlier(all: boolean): void;
  /** Takes a piece of the log; null: some may have been missed. */
  hear(piece: Piece | null): void;
  close(): void;
}

/** Reads a log's end from the service, then the stream's pieces, parsed in the browser. */
const openReader = (
  run: { readonly id: string; readonly adapterType: string; readonly logBytes: number },
  show: (change: (before: TranscriptState) => Partial<TranscriptState>) => void,
): Reader => {
  const runId = run.id;
  let next = Math.max(0, run.logBytes - firstBytes);
  let from: number | null = null;
  let isOver = false;
  let isClosed = false;
  let live: LiveParser | null = null;
  const append = (entries: readonly Entry[], notParsedReason: string | null) =>
    show((before) => ({
      entries: entries.length === 0 ? before.entries : [...before.entries, ...entries],
      notParsedReason,
      isPending: false,
      error: null,
    }));
  /** The parser may hold what its program has begun to say, so that it gets the rest. */
  const readRest = async (parser: LiveParser) => {
    while (!isClosed) {
      const part = await call("runs.log", { runId, offset: next });
      append(await parser.add(part.content), parser.notParsedReason());
      if (part.nextOffset === next) return;
      next = part.nextOffset;
    }
  };
  const readOn = async () => {
    if (live !== null) await readRest(live);
    live?.close();
    live = null;
    while (!isOver && !isClosed) {
      const part = await call("runs.transcript", { runId, offset: next, limitBytes: partBytes });
      next = part.nextOffset;
      if (from === null) {
        from = part.offset;
        show(() => ({ from: part.offset }));
      }
      append(part.entries, part.notParsedReason);
      isOver = part.complete && !part.isLive;
      if (part.complete) return;
    }
  };
  const take = async ({ byteOffset, bytes, content }: Piece) => {
    if (byteOffset + bytes <= next || isOver) return;
    if (byteOffset !== next) return readOn();
    live ??= await openLiveParser(runId, run.adapterType, next);
    const entries = await live.add(content);
    next = byteOffset + bytes;
    append(entries, live.notParsedReason());
  };
  /** One after the other, in the order of the log. */
  const inTurn = () => {
    let last: Promise<void> = Promise.resolve();
    return (work: () => Promise<void>) => {
      last = last
        .then(() => (isClosed ? undefined : work()))
        .catch((error: unknown) => show(() => ({ isPending: false, error })));
    };
  };
  const [forwards, backwards] = [inTurn(), inTurn()];
  forwards(readOn);
  return {
    earlier: (all) =>
      backwards(async () => {
        do {
          if (from === null || from === 0) return;
          const limitBytes = all ? earlierBytes : partBytes;
          const part = await call("runs.transcript", { runId, before: from, limitBytes });
          from = part.offset;
          show((before) => ({
            entries: [...part.entries, ...before.entries],
            firstKey: before.firstKey - part.entries.length,
            from: part.offset,
          }));
        } while (all && !isClosed);
      }),
    hear: (piece) => forwards(piece === null ? readOn : () => take(piece)),
    close: () => {
      isClosed = true;
      live?.close();
    },
  };
};

export interface Reading extends TranscriptState {
  /** Reads one part of what stands before. */
  earlier(): void;
  /** Reads everything that stands before. */
  all(): void;
}

/** A run's transcript from its end on, as the run writes it. */
export const useTranscript = (run: {
  readonly id: string;
  readonly adapterType: string;
  readonly logBytes: number;
  readonly isLive: boolean;
}): Reading => {
  const [state, setState] = useState<TranscriptState>(() => ({
    entries: [],
    firstKey: 0,
    from: Math.max(0, run.logBytes - firstBytes),
    notParsedReason: null,
    isPending: true,
    error: null,
  }));
  const first = useRef(run);
  const reader = useRef<Reader | null>(null);
  useRunLog(
    run.id,
    useCallback(({ event, data }: LiveEvent) => {
      reader.current?.hear(event === "heartbeat.run.log" ? (data as unknown as Piece) : null);
    }, []),
  );
  useEffect(() => {
    const opened = openReader(first.current, (change) =>
      setState((before) => ({ ...before, ...change(before) })),
    );
    reader.current = opened;
    return () => opened.close();
  }, []);
  // The last line is there when the run is over, even without its line end.
  useEffect(() => {
    if (!run.isLive) reader.current?.hear(null);
  }, [run.isLive]);
  const [read] = useState(() => ({
    earlier: () => reader.current?.earlier(false),
    all: () => reader.current?.earlier(true),
  }));
  return { ...state, ...read };
};
