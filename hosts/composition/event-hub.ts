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
  /** Counts up by one. */
  readonly number: number;
  /** What comes after `from`, up to `upTo`, of all companies that were followed. */
  readonly from: StreamPosition;
  upTo: StreamPosition;
  readonly events: readonly ToldEvent[];
  /** The events by filter, made once per filter. */
  readonly filtered: Map<string, readonly StreamedEvent[]>;
}

/** An event with what followers are told of it, which is made once. */
export interface ToldEvent {
  readonly event: StreamEvent;
  readonly told: StreamedEvent;
}

/** Reads the database once for all followers of this process. */
export interface EventHub {
  /** Adds a follower of these companies; answers with what ends it. */
  enter(companyIds: readonly CompanyId[]): () => void;
  /** The batch after which a follower that has all events up to the position misses none; null: none yet. */
  batchAfter(position: StreamPosition, companyIds: readonly CompanyId[]): number | null;
  /** null: not there yet. "gone": too old to be kept. */
  batch(number: number): EventBatch | "gone" | null;
  /** Calls back once after the next look. */
  afterNextLook(callback: () => void): void;
  /** One page of a follower's own, which is behind the batches that are kept. */
  ownPage(
    position: StreamPosition,
    companyIds: readonly CompanyId[],
  ): Effect.Effect<{
    readonly events: readonly ToldEvent[];
    readonly upTo: StreamPosition;
    readonly isFull: boolean;
  }>;
  /** Where the stream ends now. */
  end(): Effect.Effect<StreamPosition>;
  /** Looks whenever there is news, until the scope closes. */
  readonly watch: Effect.Effect<void, never, Scope.Scope>;
}

/** Two looks are at least this far apart, so that a busy company costs as much as a quiet one. */
const gapMs = 100;
/** The maximum delay of an event without a signal. */
const pollMs = 2_000;
const pageSize = 500;
/** Followers that are further behind read their own pages. */
const mostBatches = 100;
const mostBytes = 16 * 1024 * 1024;
/** How many pieces of logs are fetched at once. */
const fetches = 8;

export interface EventHubParts {
  readonly stream: StreamViews;
  readonly blobs: BlobStore;
  readonly signals: Pick<WorkSignals, "listenForEvents">;
  readonly onTrouble: (what: string, cause: Cause.Cause<unknown>) => void;
}

interface Followed {
  followers: number;
  /** From which batch on the company is in the batches; null: from none yet. */
  since: number | null;
}

export const eventHub = ({ stream, blobs, signals, onTrouble }: EventHubParts): EventHub => {
  const news = Effect.runSync(Queue.sliding<void>(1));
  const noteNews = () => void Queue.offerUnsafe(news, undefined);
  const followed = new Map<CompanyId, Followed>();
  let batches: EventBatch[] = [];
  let bytes = 0;
  let nextNumber = 0;
  /** The start of the next read; null without followers. */
  let position: StreamPosition | null = null;
  let waiting: (() => void)[] = [];

  const told = (event: StreamEvent) =>
    Effect.map(Effect.orDie(tell(event, blobs)), (told): ToldEvent => ({ event, told }));
  const tellAll = (events: readonly StreamEvent[]) => Effect.forEach(events, told, { concurrency: fetches });

  const keep = (batch: EventBatch): void => {
    batches.push(batch);
    bytes += bytesOf(batch);
    while (batches.length > mostBatches || (bytes > mostBytes && batches.length > 1))
      bytes -= bytesOf(batches.shift()!);
  };
  const look = Effect.gen(function* () {
    const from = position ?? (yield* stream.end());
    const companyIds = [...followed.keys()];
    const part = yield* stream.after(from, companyIds, pageSize);
    const events = yield* tellAll(part.events);
    // All followers may have left meanwhile.
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
    const told = waiting;
    waiting = [];
    for (const each of told) each();
    if (part.more) noteNews();
  });
  const round = Effect.gen(function* () {
    yield* Effect.raceFirst(Queue.take(news), Effect.sleep(pollMs));
    if (followed.size === 0) return;
    yield* look;
    yield* Effect.sleep(gapMs);
  });

  return {
    enter: (companyIds) => {
      for (const id of companyIds) {
        const company = followed.get(id);
        if (company === undefined) followed.set(id, { followers: 1, since: null });
        else company.followers += 1;
      }
      noteNews();
      return () => {
        for (const id of companyIds) {
          const company = followed.get(id);
          if (company !== undefined && --company.followers === 0) followed.delete(id);
        }
        if (followed.size > 0) return;
        position = null;
        batches = [];
        bytes = 0;
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
    afterNextLook: (callback) => waiting.push(callback),
    ownPage: (after, companyIds) =>
      Effect.gen(function* () {
        const part = yield* stream.after(after, companyIds, pageSize);
        return {
          events: yield* tellAll(part.events),
          upTo: part.upTo,
          isFull: part.events.length === pageSize,
        };
      }),
    end: () => stream.end(),
    watch: Effect.gen(function* () {
      yield* signals.listenForEvents(noteNews);
      yield* repeatTask(onTrouble)(0, "looking for events", round);
    }),
  };
};

const partsOf = (position: StreamPosition): readonly [bigint, bigint] => {
  const dash = position.indexOf("-");
  return [BigInt(position.slice(0, dash)), BigInt(position.slice(dash + 1))];
};

/** Whether the place comes before the other one. */
export const isBefore = (one: StreamPosition, other: StreamPosition): boolean => {
  const [xid, number] = partsOf(one);
  const [otherXid, otherNumber] = partsOf(other);
  return xid < otherXid || (xid === otherXid && number < otherNumber);
};

const bytesOf = ({ events }: EventBatch): number =>
  events.reduce((sum, { told }) => sum + 500 + contentOf(told).length, 0);

const contentOf = ({ data }: StreamedEvent): string => (data as { readonly content?: string }).content ?? "";

/** A piece of a log comes with its text, so that followers need no second request. */
const tell = ({ position: id, companyId, type, payload }: StreamEvent, blobs: BlobStore) => {
  if (type !== "heartbeat.run.log")
    return Effect.succeed<StreamedEvent>({ id, event: type, data: { companyId, ...payload } });
  const { blobKey, ...data } = payload;
  return Effect.map(blobs.get(String(blobKey)), (bytes): StreamedEvent => {
    const content = bytes === null ? "" : Buffer.from(bytes).toString("utf8");
    return { id, event: type, data: { companyId, ...data, content } };
  });
};
