import { Readable } from "node:stream";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import type { EventFeed, StreamedEvent } from "../api/endpoint/event-feed.ts";
import type { HttpAnswer, HttpRequest } from "./listener.ts";
import { streamHeaders } from "./respond.ts";

/** How often a follower's credential is looked at again, and how often a silent stream says that it lives. */
const recheckMs = 2_000;
const pingMs = 15_000;

/**
 * Server-sent events for as long as the reader listens, `stillAllowed` does not refuse, and the service goes on. `onEnd`
 * is told when they end.
 */
export const eventStream = async (
  request: HttpRequest,
  feed: EventFeed,
  stillAllowed: Effect.Effect<void, unknown>,
  stopping: AbortSignal,
  onEnd: () => void,
): Promise<HttpAnswer> => {
  const ended = new AbortController();
  ended.signal.addEventListener("abort", onEnd, { once: true });
  const events = await feed(request.headers["last-event-id"] ?? null, ended.signal).catch((failed) => {
    ended.abort();
    throw failed;
  });
  const body = new Readable({ read: () => {} });
  const end = () => ended.abort();
  const recheck = setInterval(async () => {
    const exit = await Effect.runPromiseExit(stillAllowed);
    // A refusal ends the stream; a database that is away for a moment does not.
    if (Exit.isFailure(exit) && Result.isSuccess(Cause.findError(exit.cause))) end();
  }, recheckMs);
  const ping = setInterval(() => body.push(": still here\n\n"), pingMs);
  ended.signal.addEventListener(
    "abort",
    () => {
      clearInterval(recheck);
      clearInterval(ping);
      stopping.removeEventListener("abort", end);
      body.push(null);
    },
    { once: true },
  );
  request.aborted.addEventListener("abort", end, { once: true });
  stopping.addEventListener("abort", end, { once: true });
  body.once("close", end);
  body.push(": following\n\n");
  void write(body, events, ended.signal).finally(end);
  if (request.aborted.aborted || stopping.aborted) end();
  return { status: 200, headers: streamHeaders, body };
};

const write = async (
  body: Readable,
  events: AsyncIterable<StreamedEvent>,
  ended: AbortSignal,
): Promise<void> => {
  try {
    for await (const { id, event, data } of events) {
      if (ended.aborted) return;
      const room = body.push(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (!room) await taken(body, ended);
    }
  } catch {
    // The feed reports its own trouble; the reader sees the stream end and comes back with its Last-Event-ID.
  }
};

/** Waits until the reader has taken what was pushed. */
const taken = (body: Readable, ended: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (ended.aborted || body.readableLength === 0) resolve();
      else setTimeout(look, 20);
    };
    look();
  });
