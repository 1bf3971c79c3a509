import { describe, expect, it } from "vitest";
import { noMorePushes, pushLimits } from "../../core/model/repositories/push-limits.ts";

const { pushes, bytes } = pushLimits;

describe("The pushes of a run", () => {
  it.each([
    ["none", { pushes: 0, bytes: 0 }, null],
    ["one less than the limit", { pushes: pushes - 1, bytes: bytes - 1 }, null],
    ["as many as the limit", { pushes, bytes: 0 }, "a run pushes at most 500 times"],
    ["as many bytes as the limit", { pushes: 1, bytes }, "a run pushes at most 2048 MiB"],
  ])("are refused by their number and their bytes: %s", (_, pushed, refusal) => {
    expect(noMorePushes(pushed)).toBe(refusal);
  });
});
