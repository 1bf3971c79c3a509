import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { collectWhenIdle } from "../../hosts/composition/collect-when-idle.ts";

const mebibyte = 1024 * 1024;
let rss = 100 * mebibyte;
let usedMs = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  vi.spyOn(process.memoryUsage, "rss").mockImplementation(() => rss);
  vi.spyOn(process, "cpuUsage").mockImplementation(() => ({ user: usedMs * 1000, system: 0 }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The collection is a task of its own, and a reference is kept alive until the job that made it ends. */
const severalTurns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const toGarbage = () => new WeakRef({ of: "a request" });

/** Whether ten seconds in which the process works and grows by that much end with a collection of all garbage. */
const collectsAfter = async (share: number, grownBy: number): Promise<boolean> => {
  const garbage = toGarbage();
  await severalTurns();
  usedMs += 10_000 * share;
  rss += grownBy;
  vi.advanceTimersByTime(10_000);
  await severalTurns();
  return garbage.deref() === undefined;
};

it("An idle service collects garbage once its memory has changed, and not while it works", async () => {
  collectWhenIdle();
  expect(await collectsAfter(0.5, 50 * mebibyte)).toBe(false);
  expect(await collectsAfter(0.01, 0)).toBe(true);
  // Nothing has changed since.
  expect(await collectsAfter(0.01, mebibyte)).toBe(false);
  expect(await collectsAfter(0.01, 20 * mebibyte)).toBe(true);
  // Less memory is a change, too: more of it may come back.
  expect(await collectsAfter(0.01, -20 * mebibyte)).toBe(true);
});
