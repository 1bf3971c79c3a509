import { describe, expect, it } from "vitest";
import type { RunId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import { type RemovalFacts, whyItStays } from "../../core/model/workspaces/removal.ts";

const run = "r" as RunId;
const at = "2026-01-01T00:00:00.000Z" as Instant;

const facts = (
  workspace: Partial<RemovalFacts["workspace"]> = {},
  rest: Partial<RemovalFacts> = {},
): RemovalFacts => ({
  workspace: {
    agentId: null,
    isInUse: false,
    madeAt: at,
    problem: null,
    removalId: null,
    uncapturedRunId: null,
    ...workspace,
  },
  branches: [{ head: "h", publishedAt: at, mergedAt: null, abandonedAt: null }],
  works: [{ head: "h", files: "h", leftOut: [] }],
  ...rest,
});
const dirty = { works: [{ head: "h", files: "f", leftOut: [] }] };
const leftOut = {
  works: [{ head: "h", files: "h", leftOut: [{ path: "big", reason: "too_large" }] }],
} as const;

describe("A workspace is removed", () => {
  it.each([
    [
      "clean and in its branch",
      facts(),
      { request: null, retention: null, abandoning: null, restoring: null },
    ],
    [
      "with files in no branch",
      facts({}, dirty),
      { request: "unfinished", retention: null, abandoning: null, restoring: null },
    ],
    [
      "with files that are not kept",
      facts({}, leftOut),
      { request: "left_out", retention: "left_out", abandoning: null, restoring: null },
    ],
    [
      "with work that is not kept yet",
      facts({ uncapturedRunId: run }),
      { request: "unkept", retention: "unkept", abandoning: "unkept", restoring: "unkept" },
    ],
    [
      "with work that could not be kept",
      facts({ uncapturedRunId: run, problem: "It is too large." }),
      { request: "unkept", retention: "unkept", abandoning: null, restoring: "unkept" },
    ],
    [
      "while a run works in it",
      facts({ isInUse: true }),
      { request: "in_use", retention: "in_use", abandoning: "in_use", restoring: "in_use" },
    ],
    [
      "of a second agent",
      facts({ agentId: "a" as never }),
      { request: "unfinished", retention: null, abandoning: null, restoring: null },
    ],
  ])("%s as it may be", (_, of, expected) => {
    const found = Object.fromEntries(
      (["request", "retention", "abandoning", "restoring"] as const).map((by) => [
        by,
        whyItStays(of, by)?.code ?? null,
      ]),
    );
    expect(found).toEqual(expected);
  });
});
