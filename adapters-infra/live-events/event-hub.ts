import * as Effect from "effect/Effect";
import * as Queue from "effect/Queue";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { StreamedEvent } from "../../ports/event-feed.ts";
import type { StreamEvent, StreamPosition, StreamViews } from "../../ports/views/stream-views.ts";
import { type EventBatch, EventBatches, type ReadEvent } from "./event-batches.ts";
import { FollowedCompanies } from "./followed-companies.ts";

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
  /** Begins the next read early: there are new events. */
  announce(): void;
  /** Waits for new events and reads them; repeated for as long as the service runs. */
  readonly job: { readonly name: string; readonly everyMs: 0; readonly run: Effect.Effect<void, unknown> };
}

/** The pause after each read. It makes a busy company cost as much as a quiet one. */
const gapMs = 100;
/** The maximum delay of an event without a signal. */
const pollMs = 2_000;
const pageSize = 500;
/** How many log chunks are fetched at once. */
const fetchConcurrency = 8;

export const eventHub = (stream: StreamViews, blobs: BlobStore): EventHub => {
  const signal = Effect.runSync(Queue.sliding<void>(1));
  const signalOnce = () => void Queue.offerUnsafe(signal, undefined);
  const followed = new FollowedCompanies();
  const batches = new EventBatches();
  /** The start of the next read; null without followers. */
  let position: StreamPosition | null = null;
  let waiting: (() => void)[] = [];

  const forget = (): void => {
    position = null;
    batches.clear();
  };
  const callBack = (): void => {
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) callback();
  };
  const readNext = Effect.gen(function* () {
    const from = position ?? (yield* stream.end());
    const companyIds = followed.ids;
    const { events, upTo, hasGap, more } = yield* stream.after(from, companyIds, pageSize);
    if (hasGap) {
      // It has not read for days. No follower continues with the next batch: each finds the gap by a page of its own.
      forget();
      batches.skip();
      return callBack();
    }
    const read = yield* readEvents(events, blobs);
    // All followers may have left during the read.
    if (!followed.isEmpty) {
      position = upTo;
      addBatch(batches, followed, { from, upTo, events: read }, companyIds);
    }
    callBack();
    if (more) signalOnce();
  });
  const round = Effect.gen(function* () {
    yield* Effect.raceFirst(Queue.take(signal), Effect.sleep(pollMs));
    if (followed.isEmpty) return;
    yield* readNext;
    yield* Effect.sleep(gapMs);
  });

  return {
    addFollower: (companyIds) => {
      followed.add(companyIds);
      signalOnce();
      return () => {
        followed.remove(companyIds);
        if (followed.isEmpty) forget();
      };
    },
    batchAfter: (after, companyIds) => {
      const since = followed.coveredSince(companyIds);
      return since === null ? null : batches.after(after, since);
    },
    batch: (number) => batches.get(number),
    afterNextRead: (callback) => waiting.push(callback),
    readPage: (after, companyIds) => readPage(stream, blobs, { after, companyIds }),
    end: () => stream.end(),
    announce: signalOnce,
    job: { name: "reading events", everyMs: 0, run: round },
  };
};

/** A batch without news extends the one before it, unless it is the first of a company. */
const addBatch = (
  batches: EventBatches,
  followed: FollowedCompanies,
  batch: Pick<EventBatch, "from" | "upTo" | "events">,
  companyIds: readonly CompanyId[],
): void => {
  const { last } = batches;
  if (last !== undefined && batch.events.length === 0 && !followed.hasUncovered(companyIds))
    last.upTo = batch.upTo;
  else {
    followed.cover(companyIds, batches.nextNumber);
    batches.add(batch);
  }
};

const readPage = Effect.fnUntraced(function* (
  stream: StreamViews,
  blobs: BlobStore,
  { after, companyIds }: { readonly after: StreamPosition; readonly companyIds: readonly CompanyId[] },
) {
  const part = yield* stream.after(after, companyIds, pageSize);
  return {
    events: yield* readEvents(part.events, blobs),
    upTo: part.upTo,
    isFull: part.events.length === pageSize,
    hasGap: part.hasGap,
  };
});

const readEvents = (events: readonly StreamEvent[], blobs: BlobStore) =>
  Effect.forEach(
    events,
    (event) =>
      Effect.map(Effect.orDie(streamedEvent(event, blobs)), (streamed): ReadEvent => ({ event, streamed })),
    { concurrency: fetchConcurrency },
  );

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
