import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Turns } from "../../hosts/http/turns.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("Turns", () => {
  it("come to each member once in the interval, and wake the process once for those of one turn", async () => {
    const times: number[] = [];
    const seen = new Map<number, number>();
    const turns = new Turns<number>(10_000, 20, (member) => {
      times.push(Date.now());
      seen.set(member, (seen.get(member) ?? 0) + 1);
    });
    for (let member = 0; member < 1_000; member++) turns.add(member);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([seen.size, new Set(seen.values()), new Set(times).size]).toEqual([1_000, new Set([1]), 20]);
  });

  it("come no more to a member that is removed, and keep no timer without members", async () => {
    const seen: string[] = [];
    const turns = new Turns<string>(100, 4, (member) => seen.push(member));
    const removals = ["a", "b"].map((member) => turns.add(member));
    removals[0]!();
    removals[0]!();
    await vi.advanceTimersByTimeAsync(100);
    expect(seen).toEqual(["b"]);
    removals[1]!();
    expect(vi.getTimerCount()).toBe(0);
    turns.add("c");
    await vi.advanceTimersByTimeAsync(100);
    expect(seen).toEqual(["b", "c"]);
  });
});
