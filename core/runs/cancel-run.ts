import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { isLive } from "../model/runs/run-status.ts";
import type { RunId } from "../model/shared/ids.ts";
import { stopRuns } from "../queue/stop-runs.ts";

export interface CancelRun {
  readonly runId: RunId;
  readonly by: Actor;
}

/** Cancels a run: a queued one ends at once; a running one is requested to stop. One that has ended stays unchanged. */
export const cancelRun = useCase("runs.cancel", function* (unit, command: CancelRun) {
  const run = yield* unit.runs.lock(command.runId);
  const isStopping = run.stopRequestedAt !== null && run.stopReason !== "turn_interrupted";
  if (!isLive(run.status) || isStopping) return run;
  yield* stopRuns(unit, { runId: run.id }, "cancelled");
  yield* unit.log("heartbeat.cancelled", run, { agentId: run.agentId });
  return run;
});
