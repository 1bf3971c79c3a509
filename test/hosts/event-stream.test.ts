import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Departure } from "../../hosts/http/departure.ts";
import { eventStream } from "../../hosts/http/event-stream.ts";
import type { HttpRequest } from "../../hosts/http/listener.ts";
import type { EventFeed } from "../../ports/event-feed.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("A silent stream sends a comment every ten seconds, until its reader is gone", async () => {
  const departure = new Departure();
  const silent = {
    companyIds: [],
    begin: async () =>
      (async function* () {
        await new Promise((resolve) => departure.signal.addEventListener("abort", resolve));
      })(),
  } as unknown as EventFeed;
  const request = { headers: {}, departure } as unknown as HttpRequest;
  const ended = vi.fn();
  const { body } = await eventStream(request, silent, {
    watch: () => () => {},
    stopping: new AbortController().signal,
    onEnd: ended,
  });
  let received = "";
  (body as NodeJS.ReadableStream).on("data", (chunk) => {
    received += chunk;
  });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(received).toBe(`: following\n\n${": still here\n\n".repeat(3)}`);
  departure.record();
  await vi.advanceTimersByTimeAsync(0);
  expect([ended.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
});
