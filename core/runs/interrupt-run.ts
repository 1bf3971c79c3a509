import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { refusalOfInterrupt } from "../model/runs/run-actions.ts";
import type { RunId } from "../model/shared/ids.ts";

export interface InterruptRun {
  readonly runId: RunId;
  readonly by: Actor;
}

/** Ends the turn of a run's program. The run ends as cancelled with `turn_interrupted`, and the next one resumes its session. */
export const interruptRun = (transactor: Transactor, clock: Clock) => (command: InterruptRun) =>
  transact(transactor, function* (stores) {
    const run = yield* stores.runs.lock(command.runId);
    // A repeated request changes nothing.
    if (run.status === "running" && run.stopReason === "turn_interrupted") return;
    const no = refusalOfInterrupt(run);
    if (no !== null) yield* Effect.fail(no);
    const at = clock.now();
    yield* stores.runs.requestStop({ runId: run.id }, "turn_interrupted", at);
    yield* logAction(stores, run, command.by, at, "heartbeat.interrupted", { agentId: run.agentId });
  });
