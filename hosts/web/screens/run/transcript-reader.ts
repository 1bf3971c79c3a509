import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ParsedEntry } from "../../../../core/model/runs/parsed-entries.ts";
import { type AnswerOf, call, type Queries } from "../../live/calls.ts";
import type { LiveEvent } from "../../live/live-event.ts";
import { useRunLog } from "../../live/stream.ts";
import { beginOfEnd, type Log, partBytes, readEnd } from "../../nouns/runs/run-reads.ts";
import { type LiveParser, openLiveParser } from "./live-parser.ts";

export type Entry = ParsedEntry;

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

interface RunWithLog extends Log {
  readonly adapterType: string;
}

type Show = (change: (before: TranscriptState) => Partial<TranscriptState>) => void;

/** Carries work out one after the other, until it is closed. */
class Line {
  isClosed = false;
  #last: Promise<void> = Promise.resolve();
  readonly #show: Show;

  constructor(show: Show) {
    this.#show = show;
  }

  add(work: () => Promise<void>): void {
    this.#last = this.#last
      .then(() => (this.isClosed ? undefined : work()))
      .catch((error: unknown) => this.#show(() => ({ isPending: false, error })));
  }
}

/** Reads a log's end from the service, then the stream's pieces, parsed in the browser. */
class Reader {
  readonly #run: RunWithLog;
  readonly #queries: Queries;
  readonly #show: Show;
  readonly #forwards: Line;
  readonly #backwards: Line;
  #next: number;
  #from: number | null = null;
  #isOver = false;
  #live: LiveParser | null = null;

  constructor(run: RunWithLog, queries: Queries, show: Show) {
    this.#run = run;
    this.#queries = queries;
    this.#show = show;
    this.#forwards = new Line(show);
    this.#backwards = new Line(show);
    this.#next = beginOfEnd(run);
    this.#forwards.add(() => this.#readOn());
  }

  /** Reads what stands before what is there; all of it, or one part. */
  earlier(all: boolean): void {
    this.#backwards.add(async () => {
      do {
        if (this.#from === null || this.#from === 0) return;
        const part = await call("runs.transcript", {
          runId: this.#run.id,
          before: this.#from,
          limitBytes: all ? earlierBytes : partBytes,
        });
        this.#from = part.offset;
        this.#show((before) => ({
          entries: [...part.entries, ...before.entries],
          firstKey: before.firstKey - part.entries.length,
          from: part.offset,
        }));
      } while (all && !this.#backwards.isClosed);
    });
  }

  /** Takes a piece of the log; null: some may have been missed. */
  hear(piece: Piece | null): void {
    this.#forwards.add(() => (piece === null ? this.#readOn() : this.#take(piece)));
  }

  close(): void {
    this.#forwards.isClosed = true;
    this.#backwards.isClosed = true;
    this.#live?.close();
  }

  #append(entries: readonly Entry[], notParsedReason: string | null): void {
    this.#show((before) => ({
      entries: entries.length === 0 ? before.entries : [...before.entries, ...entries],
      notParsedReason,
      isPending: false,
      error: null,
    }));
  }

  /** The parser may hold what its program has begun to say, so that it gets the rest. */
  async #readRest(parser: LiveParser): Promise<void> {
    while (!this.#forwards.isClosed) {
      const part = await call("runs.log", { runId: this.#run.id, offset: this.#next });
      this.#append(await parser.add(part.content), parser.notParsedReason());
      if (part.nextOffset === this.#next) return;
      this.#next = part.nextOffset;
    }
  }

  async #readOn(): Promise<void> {
    if (this.#live !== null) await this.#readRest(this.#live);
    this.#live?.close();
    this.#live = null;
    while (!this.#isOver && !this.#forwards.isClosed) {
      const part = await this.#readPart();
      this.#next = part.nextOffset;
      if (this.#from === null) {
        this.#from = part.offset;
        this.#show(() => ({ from: part.offset }));
      }
      this.#append(part.entries, part.notParsedReason);
      this.#isOver = part.complete && !part.isLive;
      if (part.complete) return;
    }
  }

  #readPart(): Promise<AnswerOf<"runs.transcript">> {
    if (this.#from === null) return readEnd(this.#queries, this.#run);
    return call("runs.transcript", { runId: this.#run.id, offset: this.#next, limitBytes: partBytes });
  }

  async #take({ byteOffset, bytes, content }: Piece): Promise<void> {
    if (byteOffset + bytes <= this.#next || this.#isOver) return;
    if (byteOffset !== this.#next) return this.#readOn();
    this.#live ??= await openLiveParser(this.#run.id, this.#run.adapterType, this.#next);
    const entries = await this.#live.add(content);
    this.#next = byteOffset + bytes;
    this.#append(entries, this.#live.notParsedReason());
  }
}

export interface Reading extends TranscriptState {
  /** Reads one part of what stands before. */
  earlier(): void;
  /** Reads everything that stands before. */
  all(): void;
}

/** A run's transcript from its end on, as the run writes it. */
export const useTranscript = (run: RunWithLog): Reading => {
  const [state, setState] = useState<TranscriptState>(() => ({
    entries: [],
    firstKey: 0,
    from: beginOfEnd(run),
    notParsedReason: null,
    isPending: true,
    error: null,
  }));
  const queries = useQueryClient();
  const first = useRef(run);
  const reader = useRef<Reader | null>(null);
  useRunLog(
    run.id,
    useCallback(({ event, data }: LiveEvent) => {
      reader.current?.hear(event === "heartbeat.run.log" ? (data as unknown as Piece) : null);
    }, []),
  );
  // Before the paint, so that the answer comes sooner.
  useLayoutEffect(() => {
    const opened = new Reader(first.current, queries, (change) =>
      setState((before) => ({ ...before, ...change(before) })),
    );
    reader.current = opened;
    return () => opened.close();
  }, [queries]);
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
