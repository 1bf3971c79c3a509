import * as Effect from "effect/Effect";
import type { StreamEvent, StreamPosition, StreamViews } from "../../ports/views/stream-views.ts";
import type { EventFeed, EventFilter, StreamedEvent } from "../api/endpoint/event-feed.ts";
import { type EventHub, isBefore, type ToldEvent } from "./event-hub.ts";

/**
 * Follows companies or one run. Begins after the Last-Event-ID, otherwise with the next event; a first event then gives
 * that position. A follower shares the batches of the hub; while it is behind them it reads its own pages.
 */
export const eventFeed = (
  hub: EventHub,
  isPosition: StreamViews["isPosition"],
  filter: EventFilter,
): EventFeed => {
  const { companyIds } = filter;
  const key = JSON.stringify(filter);
  const chosen = (events: readonly ToldEvent[]) =>
    events.filter(({ event }) => concerns(event, filter)).map(({ told }) => told);

  async function* after(begin: StreamPosition, first: readonly StreamedEvent[], gone: AbortSignal) {
    let wake = () => {};
    gone.addEventListener("abort", () => wake(), { once: true });
    const nextLook = () =>
      new Promise<void>((resolve) => {
        wake = resolve;
        if (gone.aborted) resolve();
        else hub.afterNextLook(resolve);
      });
    const leave = hub.enter(companyIds);
    try {
      if (first.length > 0) yield first;
      let position = begin;
      let number: number | null = null;
      while (!gone.aborted) {
        number ??= hub.batchAfter(position, companyIds);
        if (number === null) {
          const page = await Effect.runPromise(hub.ownPage(position, companyIds));
          position = page.upTo;
          yield chosen(page.events);
          if (!page.isFull && hub.batchAfter(position, companyIds) === null) await nextLook();
          continue;
        }
        const batch = hub.batch(number);
        if (batch === null) await nextLook();
        else if (batch === "gone") number = null;
        else {
          if (isBefore(batch.from, position))
            yield chosen(batch.events.filter(({ event }) => isBefore(position, event.position)));
          else {
            const told = batch.filtered.get(key) ?? chosen(batch.events);
            batch.filtered.set(key, told);
            yield told;
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
      return after(position, [{ id: position, event: "stream.opened", data: { position } }], gone);
    },
  };
};

const concerns = (
  { companyId, type, payload }: StreamEvent,
  { companyIds, runId, types }: EventFilter,
): boolean =>
  companyIds.includes(companyId) &&
  (types === null || types.includes(type)) &&
  (runId === null || payload.runId === runId || payload.entityId === runId);
