import { Readable } from "node:stream";
import type { EventFeed, StreamedEvent } from "../../ports/event-feed.ts";
import type { HttpAnswer, HttpRequest } from "./listener.ts";
import { streamHeaders } from "./respond.ts";
import { StaggeredInterval } from "./staggered-interval.ts";

/** The keep-alive interval of a silent stream; readers close a stream on which they miss two (client's `silentMs`). */
const pingMs = 10_000;
const ping = Buffer.from(": still here\n\n");
/** Of a thousand streams, fifty at once. With a timer for each the process would wake a hundred times a second. */
const pings = new StaggeredInterval<Readable>(pingMs, 20, (body) => body.push(ping));

export interface StreamOptions {
  /** Calls back when access is lost and the stream must end; returns the function that stops the checks. */
  readonly watch: (end: () => void) => () => void;
  /** Fires when the service stops. */
  readonly stopping: AbortSignal;
  /** Called when the stream ends. */
  readonly onEnd: () => void;
}

/** Sends server-sent events until the reader disconnects, access is lost, or the service stops. */
export const eventStream = async (
  request: HttpRequest,
  feed: EventFeed,
  { watch, stopping, onEnd }: StreamOptions,
): Promise<HttpAnswer> => {
  const ended = new AbortController();
  ended.signal.addEventListener("abort", onEnd, { once: true });
  const batches = await feed.begin(request.headers["last-event-id"] ?? null, ended.signal).catch((failed) => {
    ended.abort();
    throw failed;
  });
  const body = new Readable({ read: () => {} });
  const end = () => ended.abort();
  const endWatch = watch(end);
  const endPings = pings.add(body);
  ended.signal.addEventListener(
    "abort",
    () => {
      endWatch();
      endPings();
      stopping.removeEventListener("abort", end);
      body.push(null);
    },
    { once: true },
  );
  stopping.addEventListener("abort", end, { once: true });
  body.once("close", end);
  body.push(": following\n\n");
  void write(body, batches, ended.signal).finally(end);
  request.departure.onDeparted(end);
  if (stopping.aborted) end();
  return { status: 200, headers: streamHeaders, body };
};

/** The serialised batches, shared by all their readers. */
const written = new WeakMap<readonly StreamedEvent[], Buffer>();

const bytesOf = (batch: readonly StreamedEvent[]): Buffer => {
  const known = written.get(batch);
  if (known !== undefined) return known;
  const bytes = Buffer.from(
    batch
      .map(({ id, event, data }) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      .join(""),
  );
  written.set(batch, bytes);
  return bytes;
};

const write = async (
  body: Readable,
  batches: AsyncIterable<readonly StreamedEvent[]>,
  ended: AbortSignal,
): Promise<void> => {
  try {
    for await (const batch of batches) {
      if (ended.aborted) return;
      if (batch.length > 0 && !body.push(bytesOf(batch))) await drained(body, ended);
    }
  } catch {
    // The feed reports its own failure. The reader sees the stream end and reconnects with its Last-Event-ID.
  }
};

/** Waits until the reader has room again. */
const drained = (body: Readable, ended: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const check = () => {
      if (ended.aborted || body.readableLength === 0) resolve();
      else setTimeout(check, 20);
    };
    check();
  });
