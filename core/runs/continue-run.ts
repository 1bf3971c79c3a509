import * as Effect from "effect/Effect";
import type { Adopted } from "../../ports/process-runner.ts";
import { leftoverGraceSec } from "../model/runs/lease.ts";
import type { Run } from "../model/runs/run.ts";
import { maskedLog } from "./masking/masked-log.ts";
import { type Conduct, execute, type HandoverState, runIoOf, toItsEnd } from "./run-supervision.ts";

/** A run to continue, with the `HandoverState` that an earlier service has left of it, as JSON. */
export interface ContinuedRun extends Adopted {
  readonly run: Run;
}

/**
 * Carries out the rest of a run whose programs have outlived their service: its adapter begins anew with what it was given,
 * gets all that the programs have said, and so comes to where it was. What is stored already is not stored again.
 */
export const continueRun =
  (deps: Conduct) =>
  ({ run, handoverState, programs }: ContinuedRun, stop: AbortSignal) =>
    Effect.gen(function* () {
      const { assignment, workspace, values } = JSON.parse(handoverState) as HandoverState;
      const begun = yield* Effect.orDie(deps.runLogs.continue(run.companyId, run.id));
      const log = maskedLog(begun);
      log.hide(values);
      const runner = deps.runners.get(run.runner ?? "");
      if (runner === null) return yield* Effect.die(new Error(`Runner ${run.runner} not found.`));
      const at = { processes: runner.processes, workspace };
      const io = runIoOf({ log, stop }, assignment, handoverState, {
        repeats: () => begun.repeats(),
        invocations: programs,
      });
      // Also of an adapter that did not come to where it was.
      const endOrphans = runner.processes.endOrphans(run.id, null, leftoverGraceSec);
      const rest = execute(deps, run, assignment, at, io).pipe(Effect.ensuring(endOrphans));
      yield* toItsEnd(deps, run, log, rest, true);
    });
