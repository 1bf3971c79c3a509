import type * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Queue from "effect/Queue";
import type * as Scope from "effect/Scope";
import type { CompanyId } from "../../core/shared/ids.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { StreamEvent, StreamPosition, StreamViews } from "../../ports/views/stream-views.ts";
import type { WorkSignals } from "../../ports/work-signals.ts";
import type { StreamedEvent } from "../api/endpoint/event-feed.ts";
import { repeatTask } from "./repeat-task.ts";

/** The result of one read of the stream, shared by all followers. */
export interface EventBatch {
  /** Increases by one from batch to batch. */
  readonly number: number;
  /** The batch holds the events after `from`, up to `upTo`, of all companies that had followers. */
  readonly from: StreamPosition;
  upTo: StreamPosition;
  readonly events: readonly ReadEvent[];
  /** The events that pass a filter, selected once per filter. */
  readonly filtered: Map<string, readonly StreamedEvent[]>;
}

/** An event and the form in which followers get it, made once for all of them. */
export interface ReadEvent {
  readonly event: StreamEvent;
  readonly streamed: StreamedEvent;
}

/** Reads the database once for all followers of this process. */
export interface EventHub {
  /** Adds a follower of these companies; returns the function that removes it. */
  addFollower(companyIds: readonly CompanyId[]): () => void;
  /** The batch with which a follower that has all events up to the position continues; null: no batch covers it yet. */
  batchAfter(position: StreamPosition, companyIds: readonly CompanyId[]): number | null;
  /** null: not read yet. "gone": dropped, because too many came after it. */
  batch(number: number): EventBatch | "gone" | null;
  /** Calls back once after the next read. */
  afterNextRead(callback: () => void): void;
  /** Reads a page for one follower that is behind the batches. */
  readPage(
    position: StreamPosition,
    companyIds: readonly CompanyId[],
  ): Effect.Effect<{
    readonly events: readonly ReadEvent[];
    readonly upTo: StreamPosition;
    readonly isFull: boolean;
    /** Whether events after the position were deleted. */
    readonly hasGap: boolean;
  }>;
  /** The position at which the stream ends now. */
  end(): Effect.Effect<StreamPosition>;
  /** Reads the stream after every signal, until the scope closes. */
  readonly watch: Effect.Effect<void, never, Scope.Scope>;
}

/** The pause after each read. It makes a busy company cost as much as a quiet one. */
const gapMs = 100;
/** The maximum delay of an event without a signal. */
const pollMs = 2_000;
const pageSize = 500;
/** The number of batches that are kept. Followers that are further behind read their own pages. */
const maxBatches = 100;
const maxBytes = 16 * 1024 * 1024;
/** How many log chunks are fetched at once. */
const fetchConcurrency = 8;

export interface EventHubParts {
  readonly stream: StreamViews;
  readonly blobs: BlobStore;
  readonly signals: Pick<WorkSignals, "listenForEvents">;
  readonly onFailure: (what: string, cause: Cause.Cause<unknown>) => void;
}

interface Followed {
  followers: number;
  /** The first batch that covers the company; null: no batch yet. */
  since: number | null;
}

export const eventHub = ({ stream, blobs, signals, onFailure }: EventHubParts): EventHub => {
  const signal = Effect.runSync(Queue.sliding<void>(1));
  const noteSignal = () => void Queue.offerUnsafe(signal, undefined);
  const followed = new Map<CompanyId, Followed>();
  let batches: EventBatch[] = [];
  let bytes = 0;
  let nextNumber = 0;
  /** The start of the next read; null without followers. */
  let position: StreamPosition | null = null;
  let waiting: (() => void)[] = [];

  const prepare = (event: StreamEvent) =>
    Effect.map(Effect.orDie(streamedEvent(event, blobs)), (streamed): ReadEvent => ({ event, streamed }));
  const prepareAll = (events: readonly StreamEvent[]) =>
    Effect.forEach(events, prepare, { concurrency: fetchConcurrency });

  const keep = (batch: EventBatch): void => {
    batches.push(batch);
    bytes += bytesOf(batch);
    while (batches.length > maxBatches || (bytes > maxBytes && batches.length > 1))
      bytes -= bytesOf(batches.shift()!);
  };
  const forget = (): void => {
    position = null;
    batches = [];
    bytes = 0;
  };
  const callBack = (): void => {
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) callback();
  };
  const readNext = Effect.gen(function* () {
    const from = position ?? (yield* stream.end());
    const companyIds = [...followed.keys()];
    const part = yield* stream.after(from, companyIds, pageSize);
    if (part.hasGap) {
      // It has not read for days. No follower continues with the next batch: each finds the gap by a page of its own.
      forget();
      nextNumber += 1;
      return callBack();
    }
    const events = yield* prepareAll(part.events);
    // All followers may have left during the read.
    if (followed.size > 0) {
      position = part.upTo;
      const fresh = companyIds.flatMap((id) => followed.get(id) ?? []).filter(({ since }) => since === null);
      const last = batches.at(-1);
      if (last !== undefined && events.length === 0 && fresh.length === 0) last.upTo = part.upTo;
      else {
        for (const company of fresh) company.since = nextNumber;
        keep({ number: nextNumber++, from, upTo: part.upTo, events, filtered: new Map() });
      }
    }
    callBack();
    if (part.more) noteSignal();
  });
  const round = Effect.gen(function* () {
    yield* Effect.raceFirst(Queue.take(signal), Effect.sleep(pollMs));
    if (followed.size === 0) return;
    yield* readNext;
    yield* Effect.sleep(gapMs);
  });

  return {
    addFollower: (companyIds) => {
      for (const id of companyIds) {
        const company = followed.get(id);
        if (company === undefined) followed.set(id, { followers: 1, since: null });
        else company.followers += 1;
      }
      noteSignal();
      return () => {
        for (const id of companyIds) {
          const company = followed.get(id);
          if (company !== undefined && --company.followers === 0) followed.delete(id);
        }
        if (followed.size === 0) forget();
      };
    },
    batchAfter: (after, companyIds) => {
      const first = batches[0];
      if (first === undefined) return null;
      let since = first.number;
      for (const id of companyIds) {
        const company = followed.get(id);
        if (company === undefined || company.since === null) return null;
        since = Math.max(since, company.since);
      }
      const covering = batches[since - first.number];
      if (covering === undefined || isBefore(after, covering.from)) return null;
      return batches.findLast(({ number, from }) => number >= since && !isBefore(after, from))!.number;
    },
    batch: (number) => {
      const first = batches[0];
      if (number >= nextNumber) return null;
      return first === undefined ? "gone" : (batches[number - first.number] ?? "gone");
    },
    afterNextRead: (callback) => waiting.push(callback),
    readPage: (after, companyIds) =>
      Effect.gen(function* () {
        const part = yield* stream.after(after, companyIds, pageSize);
        return {
          events: yield* prepareAll(part.events),
          upTo: part.upTo,
          isFull: part.events.length === pageSize,
          hasGap: part.hasGap,
        };
      }),
    end: () => stream.end(),
    watch: Effect.gen(function* () {
      yield* signals.listenForEvents(noteSignal);
      yield* repeatTask(onFailure)(0, "reading events", round);
    }),
  };
};

const partsOf = (position: StreamPosition): readonly [bigint, bigint] => {
  const dash = position.indexOf("-");
  return [BigInt(position.slice(0, dash)), BigInt(position.slice(dash + 1))];
};

/** Tells whether the position comes before the other one. */
export const isBefore = (one: StreamPosition, other: StreamPosition): boolean => {
  const [xid, number] = partsOf(one);
  const [otherXid, otherNumber] = partsOf(other);
  return xid < otherXid || (xid === otherXid && number < otherNumber);
};

const bytesOf = ({ events }: EventBatch): number =>
  events.reduce((sum, { streamed }) => sum + 500 + contentOf(streamed).length, 0);

const contentOf = ({ data }: StreamedEvent): string => (data as { readonly content?: string }).content ?? "";

/** A log chunk includes its text, so that followers need no second request. */
const streamedEvent = ({ position: id, companyId, type, payload }: StreamEvent, blobs: BlobStore) => {
  if (type !== "heartbeat.run.log")
    return Effect.succeed<StreamedEvent>({ id, event: type, data: { companyId, ...payload } });
  const { blobKey, ...data } = payload;
  return Effect.map(blobs.get(String(blobKey)), (bytes): StreamedEvent => {
    const content = bytes === null ? "" : Buffer.from(bytes).toString("utf8");
    return { id, event: type, data: { companyId, ...data, content } };
  });
};
