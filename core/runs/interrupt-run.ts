import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { refusalOfInterrupt } from "../model/runs/run-actions.ts";
import type { RunId } from "../model/shared/ids.ts";

export interface InterruptRun {
  readonly runId: RunId;
  readonly by: Actor;
}

/** Ends the turn of a run's program. The run ends as cancelled with `turn_interrupted`, and the next one resumes its session. */
export const interruptRun = useCase("runs.interrupt", function* (unit, command: InterruptRun) {
  const run = yield* unit.runs.lock(command.runId);
  // A repeated request changes nothing.
  if (run.status === "running" && run.stopReason === "turn_interrupted") return;
  const refusal = refusalOfInterrupt(run);
  if (refusal !== null) yield* Effect.fail(refusal);
  const { at } = unit;
  yield* unit.runs.requestStop({ runId: run.id }, "turn_interrupted", at);
  yield* unit.log("heartbeat.interrupted", run, { agentId: run.agentId });
});
