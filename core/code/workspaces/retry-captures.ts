import * as Effect from "effect/Effect";
import { addMillis } from "../../model/shared/instant.ts";
import { markOf } from "../../model/workspaces/issue-workspace.ts";
import type { captureWorkspace } from "./capture-workspace.ts";
import type { RemovePorts } from "./remove-workspace.ts";

export interface RetryCapturesPorts extends RemovePorts {
  readonly keep: ReturnType<typeof captureWorkspace>;
}

/** Between two rounds. Another service of the same disk does not try in between, either. */
export const retryCapturesEveryMs = 10 * 60_000;
const perRound = 10;

/**
 * Tries again to keep what ended runs left where this service finds workspaces: otherwise it would wait there for a next run
 * of the issue. Work that cannot be captured says why, and the service's health names it.
 */
export const retryCaptures =
  ({ transactor, clock, disks, keep }: RetryCapturesPorts) =>
  () =>
    Effect.gen(function* () {
      const at = clock.now();
      const times = { at, before: addMillis(at, -retryCapturesEveryMs / 2) };
      const tries = yield* Effect.forEach(
        disks.all(),
        Effect.fnUntraced(function* (disk) {
          const uncaptured = yield* transactor.transact((stores) =>
            stores.issueWorkspaces.claimUncaptured(disk.volume, times, perRound),
          );
          return yield* Effect.forEach(uncaptured, ({ id, uncapturedRunId }) =>
            Effect.exit(
              keep({
                runId: uncapturedRunId,
                processRunId: markOf(id),
                issueWorkspaces: disk,
                stop: new AbortController().signal,
                onOutput: () => Effect.void,
              }),
            ),
          );
        }),
        // An engine that is away does not hold back the own disk.
        { concurrency: "unbounded" },
      );
      // A defect at one does not block the others.
      for (const tried of tries.flat()) yield* tried;
    });
