import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { EventFeed } from "../../hosts/api/endpoint/event-feed.ts";
import { eventStream } from "../../hosts/http/event-stream.ts";
import type { HttpRequest } from "../../hosts/http/listener.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("A silent stream sends a comment every ten seconds, until its reader is gone", async () => {
  const aborted = new AbortController();
  const silent = {
    companyIds: [],
    begin: async () =>
      (async function* () {
        await new Promise((resolve) => aborted.signal.addEventListener("abort", resolve));
      })(),
  } as unknown as EventFeed;
  const request = { headers: {}, aborted: () => aborted.signal } as unknown as HttpRequest;
  const ended = vi.fn();
  const { body } = await eventStream(request, silent, {
    watch: () => () => {},
    stopping: new AbortController().signal,
    onEnd: ended,
  });
  let said = "";
  (body as NodeJS.ReadableStream).on("data", (chunk) => {
    said += chunk;
  });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(said).toBe(`: following\n\n${": still here\n\n".repeat(3)}`);
  aborted.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect([ended.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
});
