import { BoardroomError, mayPass, ServiceSilent } from "./client-error.ts";
import { type ReceivedEvent, readEvents } from "./event-reader.ts";
import { type Fields, type FollowOptions, type NamedWire, send } from "./send.ts";
import type { Transport } from "./transport.ts";

const firstPauseMs = 500;
const longestPauseMs = 15_000;

/**
 * Receives the events of a stream; where it may reconnect, also after the connection was lost: it continues after the last
 * event, waits longer after each failure or as long as the service says, and ends by a refusal that is final.
 */
export async function* follow(
  transport: Transport,
  named: NamedWire,
  input: Fields,
  { reconnect = false, onOpen, onLost, ...options }: FollowOptions,
): AsyncGenerator<ReceivedEvent<unknown>, void, undefined> {
  let lastEventId = options.lastEventId;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const { signal, wait, end } = patience(options.signal);
    try {
      const answer = await wait(send(transport, named, input, { ...options, signal, lastEventId }), answerMs);
      onOpen?.();
      for await (const event of readEvents(answer.body, (arriving) => wait(arriving, silentMs))) {
        lastEventId = event.id;
        pauseMs = firstPauseMs;
        yield event;
      }
    } catch (error) {
      if (!reconnect || !mayPass(error) || options.signal?.aborted) throw error;
      // Another connection may be in order: nothing says that the service is busy.
      if (error instanceof ServiceSilent) pauseMs = firstPauseMs;
      if (error instanceof BoardroomError) pauseMs = Math.max(pauseMs, (error.retryAfterSec ?? 0) * 1000);
      onLost?.(error);
    } finally {
      end();
    }
    if (!reconnect) return;
    // Followers that were lost together do not come back together.
    await pause(pauseMs * (0.75 + Math.random() / 2), options.signal);
  }
}

/** The service sends something every 10 s. A stream that misses two is lost, although it was not closed. */
const silentMs = 25_000;
/** For the beginning of an answer, which takes the service much less. */
const answerMs = 15_000;

/** Aborts a connection that has been silent for too long, because the other end may have gone. */
const patience = (given: AbortSignal | undefined) => {
  const over = new AbortController();
  const stop = () => over.abort(given?.reason);
  if (given?.aborted) stop();
  else given?.addEventListener("abort", stop, { once: true });
  const wait = async <T>(arriving: Promise<T>, ms: number): Promise<T> => {
    const timer = setTimeout(() => over.abort(new ServiceSilent(ms)), ms);
    try {
      return await arriving;
    } catch (error) {
      // Not every runtime rejects a read with the reason.
      throw over.signal.aborted ? over.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  };
  return { signal: over.signal, wait, end: () => given?.removeEventListener("abort", stop) };
};

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
