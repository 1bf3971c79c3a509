import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StaggeredInterval } from "../../hosts/http/staggered-interval.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("A staggered interval", () => {
  it("calls once for each member, and wakes the process once for those of a slot", async () => {
    const times: number[] = [];
    const seen = new Map<number, number>();
    const interval = new StaggeredInterval<number>(10_000, 20, (member) => {
      times.push(Date.now());
      seen.set(member, (seen.get(member) ?? 0) + 1);
    });
    for (let member = 0; member < 1_000; member++) interval.add(member);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([seen.size, new Set(seen.values()), new Set(times).size]).toEqual([1_000, new Set([1]), 20]);
  });

  it("calls no more for a member that is removed, and keeps no timer without members", async () => {
    const seen: string[] = [];
    const interval = new StaggeredInterval<string>(100, 4, (member) => seen.push(member));
    const removals = ["a", "b"].map((member) => interval.add(member));
    removals[0]!();
    removals[0]!();
    await vi.advanceTimersByTimeAsync(100);
    expect(seen).toEqual(["b"]);
    // An earlier file of this process may have left others.
    const timers = vi.getTimerCount();
    removals[1]!();
    expect(vi.getTimerCount()).toBe(timers - 1);
    interval.add("c");
    await vi.advanceTimersByTimeAsync(100);
    expect(seen).toEqual(["b", "c"]);
  });
});
