import { setTimeout as sleep } from "node:timers/promises";
import * as Effect from "effect/Effect";
import type { CompanyId } from "../../core/shared/ids.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { StreamEvent, StreamPosition, StreamViews } from "../../ports/views/stream-views.ts";
import type { EventFeed, StreamedEvent } from "../api/endpoint/event-feed.ts";

/** How often a follower looks for news. The tables are the truth, so nothing is missed between two looks. */
const lookMs = 200;
const pageSize = 200;

/** Follows a company, or one run of it. Begins after the Last-Event-ID, else with what comes next. */
export const eventFeed = (
  stream: StreamViews,
  blobs: BlobStore,
  companyId: CompanyId,
  runId: string | null,
): EventFeed => {
  async function* after(begin: StreamPosition, gone: AbortSignal) {
    let position = begin;
    while (!gone.aborted) {
      const events = await Effect.runPromise(stream.after(position, [companyId], pageSize));
      for (const event of events) {
        position = event.position;
        if (runId === null || concerns(event, runId)) yield await told(event, blobs);
      }
      if (events.length < pageSize) await sleep(lookMs, undefined, { signal: gone }).catch(() => {});
    }
  }
  return async (lastEventId, gone) =>
    after(
      lastEventId !== null && stream.isPosition(lastEventId)
        ? lastEventId
        : await Effect.runPromise(stream.end()),
      gone,
    );
};

const concerns = ({ payload }: StreamEvent, runId: string): boolean =>
  payload.runId === runId || payload.entityId === runId;

/** A piece of a log comes with its text, so that followers need no second request. */
const told = async ({ position, type, payload }: StreamEvent, blobs: BlobStore): Promise<StreamedEvent> => {
  if (type !== "heartbeat.run.log") return { id: position, event: type, data: payload };
  const { blobKey, ...data } = payload;
  const bytes = await Effect.runPromise(blobs.get(String(blobKey)));
  return {
    id: position,
    event: type,
    data: { ...data, content: bytes === null ? "" : Buffer.from(bytes).toString("utf8") },
  };
};
