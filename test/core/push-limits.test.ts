import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { noMorePushes, pushLimits } from "../../core/repositories/push-limits.ts";
import { GitRequests } from "../../hosts/http/git-endpoint.ts";

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

  it("are counted for each run, also those that break off", async () => {
    const requests = new GitRequests();
    const passed: Uint8Array[] = [];
    for await (const chunk of requests.counted("one", Readable.from([Buffer.alloc(3), Buffer.alloc(4)])))
      passed.push(chunk);
    expect(Buffer.concat(passed)).toHaveLength(7);
    for await (const _ of requests.counted("one", Readable.from([Buffer.alloc(5), Buffer.alloc(6)]))) break;
    for await (const _ of requests.counted("one", Readable.from([Buffer.from("0000")])));
    expect(requests.pushedBy("one")).toEqual({ pushes: 2, bytes: 16 });
    expect(requests.pushedBy("other")).toEqual({ pushes: 0, bytes: 0 });
  });
});
