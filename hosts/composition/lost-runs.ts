import type * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as FiberMap from "effect/FiberMap";
import * as Semaphore from "effect/Semaphore";
import type { Runs } from "../../core/runs/index.ts";
import { leftoverGraceSec } from "../../core/runs/lease.ts";
import type { Run } from "../../core/runs/run.ts";
import type { RunId } from "../../core/shared/ids.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";

export interface LostRunsParts {
  readonly runs: Pick<Runs, "finish">;
  readonly processes: Pick<ProcessRunner, "endLeftovers">;
  readonly onFailure: (what: string, cause: Cause.Cause<unknown>) => void;
}

/** How many lost runs are ended at once. */
const concurrency = 8;

/**
 * Makes the function that ends the remaining processes of an unsupervised run, then the run. It does not wait: a program
 * that does not die must not delay the renewal of the lease.
 */
export const lostRuns = ({ runs, processes, onFailure }: LostRunsParts) =>
  Effect.gen(function* () {
    const fibers = yield* FiberMap.make<RunId, void>();
    const permits = yield* Semaphore.make(concurrency);
    const endLostRun = (run: Run, isHere: boolean) =>
      (isHere ? processes.endLeftovers(run.id, identityOf(run), leftoverGraceSec) : Effect.void).pipe(
        Effect.andThen(runs.finish({ run, outcome: "lost", lastOutput: null })),
        Effect.catchCause((cause) => Effect.sync(() => onFailure("ending a lost run", cause))),
        Effect.asVoid,
        permits.withPermit,
      );
    /** `isHere`: the processes of the run are on this machine. */
    return (run: Run, isHere: boolean): Effect.Effect<void> =>
      Effect.asVoid(FiberMap.run(fibers, run.id, endLostRun(run, isHere), { onlyIfMissing: true }));
  });

export type RecoverRun = Effect.Success<ReturnType<typeof lostRuns>>;

const identityOf = ({ processPid, processStartedAt }: Run) =>
  processPid === null || processStartedAt === null ? null : { pid: processPid, startedAt: processStartedAt };
