import { Readable } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Departure } from "../../hosts/http/departure.ts";
import { bodyOf } from "../../hosts/http/request-body.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const aBody = (departure: Departure, source = Readable.from([Buffer.from("{}")])) =>
  bodyOf({
    source,
    headers: { "content-length": "2" },
    departure,
    isComplete: () => source.readableEnded,
  });

describe("The departure of a client", () => {
  it("makes no signal to read a body, and stops listening when it is read", async () => {
    const made = vi.spyOn(globalThis, "AbortController");
    const departure = new Departure();
    expect(String(await aBody(departure).readBody(10))).toBe("{}");
    departure.record();
    expect(made).not.toHaveBeenCalled();
  });

  it("breaks off a body, whole or as a stream", async () => {
    const silent = () => new Readable({ read: () => {} });
    const departure = new Departure();
    const whole = aBody(departure, silent()).readBody(10);
    const stream = aBody(departure, silent()).streamBody(10);
    const failed = new Promise((resolve) => stream.once("error", resolve));
    departure.record();
    await expect(whole).rejects.toThrow("disconnected");
    expect(String(await failed)).toMatch("disconnected");
  });

  it("is noted once, with its reason, by those who listened before and after", () => {
    const departure = new Departure();
    const [before, ended, after] = [vi.fn(), vi.fn(), vi.fn()];
    departure.onDeparted(before);
    departure.onDeparted(ended)();
    departure.record("a reason");
    departure.record("another");
    departure.onDeparted(after);
    expect([before, ended, after].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1]);
    expect([departure.isDeparted, departure.signal.aborted, departure.signal.reason]).toEqual([
      true,
      true,
      "a reason",
    ]);
  });
});
