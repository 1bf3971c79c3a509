import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { isLive } from "../model/runs/run-status.ts";
import type { RunId } from "../model/shared/ids.ts";
import { stopRuns } from "../queue/stop-runs.ts";

export interface CancelRun {
  readonly runId: RunId;
  readonly by: Actor;
}

/** Cancels a run: a queued one ends at once; a running one is requested to stop. One that has ended stays unchanged. */
export const cancelRun = (transactor: Transactor, clock: Clock) => (command: CancelRun) =>
  transact(transactor, function* (stores) {
    const run = yield* stores.runs.lock(command.runId);
    const isStopping = run.stopRequestedAt !== null && run.stopReason !== "turn_interrupted";
    if (!isLive(run.status) || isStopping) return run;
    const at = clock.now();
    yield* stopRuns(stores, { runId: run.id }, "cancelled", at);
    yield* logAction(stores, run, command.by, at, "heartbeat.cancelled", { agentId: run.agentId });
    return run;
  });
