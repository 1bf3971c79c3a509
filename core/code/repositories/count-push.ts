import { useCase } from "../../access/unit-of-work.ts";
import type { RunId } from "../../model/shared/ids.ts";

export interface CountPush {
  readonly runId: RunId;
  /** As they were sent. */
  readonly bytes: number;
}

/**
 * Counts a push of a run, for its limits. Returns whether the run may still write: a body may have arrived for longer than
 * its run lives.
 */
export const countPush = useCase(
  "repositories.countPush",
  function* ({ repositories, runs }, push: CountPush) {
    yield* repositories.countPush(push.runId, push.bytes);
    return (yield* runs.mayWrite(push.runId)) === "yes";
  },
);
