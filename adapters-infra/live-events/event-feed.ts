import * as Effect from "effect/Effect";
import { type EventFeed, type EventFilter, outputType, type StreamedEvent } from "../../ports/event-feed.ts";
import type { StreamEvent, StreamPosition, StreamViews } from "../../ports/views/stream-views.ts";
import { isBefore, type ReadEvent } from "./event-batches.ts";
import type { EventHub } from "./event-hub.ts";

/**
 * Follows companies or one run. It begins after the Last-Event-ID. Without one, or where events after it were deleted,
 * it begins with the next event, and a first event gives that position. A follower shares the batches of the hub; while
 * it is behind them it reads its own pages.
 */
export const eventFeed = (
  hub: EventHub,
  isPosition: StreamViews["isPosition"],
  filter: EventFilter,
): EventFeed => {
  const { companyIds } = filter;
  const key = JSON.stringify(filter);
  const chosen = (events: readonly ReadEvent[]): readonly StreamedEvent[] => {
    const longest = longestLogs(events, filter);
    return events.flatMap(({ event, streamed }) => [
      ...(concerns(event, filter) ? [streamed] : []),
      ...(longest.has(event) ? [outputOf(event)] : []),
    ]);
  };

  async function* after(begin: StreamPosition, first: readonly StreamedEvent[], gone: AbortSignal) {
    let wake = () => {};
    gone.addEventListener("abort", () => wake(), { once: true });
    const nextRead = () =>
      new Promise<void>((resolve) => {
        wake = resolve;
        if (gone.aborted) resolve();
        else hub.afterNextRead(resolve);
      });
    const leave = hub.addFollower(companyIds);
    try {
      if (first.length > 0) yield first;
      let position = begin;
      let number: number | null = null;
      while (!gone.aborted) {
        number ??= hub.batchAfter(position, companyIds);
        if (number === null) {
          // An edge: the web server reads a feed as an async iterable, at the speed of its client.
          const page = await Effect.runPromise(hub.readPage(position, companyIds));
          if (page.hasGap) {
            position = await Effect.runPromise(hub.end());
            yield [opened(position)];
            continue;
          }
          position = page.upTo;
          yield chosen(page.events);
          if (!page.isFull && hub.batchAfter(position, companyIds) === null) await nextRead();
          continue;
        }
        const batch = hub.batch(number);
        if (batch === null) await nextRead();
        else if (batch === "gone") number = null;
        else {
          if (isBefore(batch.from, position))
            yield chosen(batch.events.filter(({ event }) => isBefore(position, event.position)));
          else {
            const matching = batch.filtered.get(key) ?? chosen(batch.events);
            batch.filtered.set(key, matching);
            yield matching;
          }
          if (isBefore(position, batch.upTo)) position = batch.upTo;
          number += 1;
        }
      }
    } finally {
      leave();
    }
  }

  return {
    companyIds,
    begin: async (lastEventId, gone) => {
      if (lastEventId !== null && isPosition(lastEventId)) return after(lastEventId, [], gone);
      const position = await Effect.runPromise(hub.end());
      return after(position, [opened(position)], gone);
    },
  };
};

/** Begins the stream anew: what came before, the reader has to read from the lists. */
const opened = (position: StreamPosition): StreamedEvent => ({
  id: position,
  event: "stream.opened",
  data: { position },
});

/** The last piece of each run's log among the events; none where the reader does not ask for lengths. */
const longestLogs = (events: readonly ReadEvent[], filter: EventFilter): ReadonlySet<StreamEvent> => {
  if (filter.types?.includes(outputType) !== true) return new Set();
  const ofLogs: EventFilter = { ...filter, types: ["heartbeat.run.log"], logOfRunIds: null };
  const pieces = events.map(({ event }) => event).filter((event) => concerns(event, ofLogs));
  return new Set(new Map(pieces.map((event) => [event.payload.runId, event])).values());
};

const outputOf = ({
  position,
  companyId,
  payload: { runId, byteOffset, bytes },
}: StreamEvent): StreamedEvent => ({
  id: position,
  event: outputType,
  data: { companyId, runId, logBytes: Number(byteOffset) + Number(bytes) },
});

const concerns = (
  { companyId, type, payload }: StreamEvent,
  { companyIds, runId, types, logOfRunIds }: EventFilter,
): boolean =>
  companyIds.includes(companyId) &&
  (types === null || types.includes(type)) &&
  (runId === null || payload.runId === runId || payload.entityId === runId) &&
  (logOfRunIds === null ||
    type !== "heartbeat.run.log" ||
    logOfRunIds.some((runId) => payload.runId === runId));
