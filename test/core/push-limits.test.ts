import { describe, expect, it } from "vitest";
import { noMoreCaptures, noMorePushes, pushLimits } from "../../core/model/repositories/push-limits.ts";

const { pushes, bytes } = pushLimits;

describe("The pushes of a run", () => {
  it.each([
    ["none", { pushes: 0, bytes: 0 }, null],
    ["one less than the limit", { pushes: pushes - 1, bytes: bytes - 1 }, null],
    ["as many as the limit", { pushes, bytes: 0 }, "a run can push at most 500 times"],
    ["as many bytes as the limit", { pushes: 1, bytes }, "a run can push at most 2048 MiB"],
  ])("are refused by their number and their bytes: %s", (_, pushed, refusal) => {
    expect(noMorePushes(pushed, { isStopping: false })).toBe(refusal);
  });

  it("are refused once a stop of it has been requested", () => {
    expect(noMorePushes({ pushes: 0, bytes: 0 }, { isStopping: true })).toBe("the run is being stopped");
  });
});

describe("The pushes of an attempt to capture a run's work", () => {
  it.each([
    ["none", 500, 500, true],
    ["three", 503, 500, true],
    ["four", 504, 500, false],
  ])("come after those of the run, and are four at most: %s", (_, pushed, before, isAllowed) => {
    expect(noMoreCaptures({ pushes: pushed, bytes: 2 ** 40 }, before) === null).toBe(isAllowed);
  });
});
