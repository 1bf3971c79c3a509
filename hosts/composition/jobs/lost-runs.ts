import type * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as FiberMap from "effect/FiberMap";
import * as Semaphore from "effect/Semaphore";
import { leftoverGraceSec } from "../../../core/model/runs/lease.ts";
import type { Run } from "../../../core/model/runs/run.ts";
import type { RunId } from "../../../core/model/shared/ids.ts";
import type { Runs } from "../../../core/runs/index.ts";
import type { ProcessRunner } from "../../../ports/process-runner.ts";
import type { Runners } from "../../../ports/runners.ts";

export interface LostRunsParts {
  readonly runs: Pick<Runs, "finish">;
  /** The service's machine. */
  readonly processes: ProcessRunner;
  readonly runners: Pick<Runners, "get">;
  /** Keeps what the run left in its workspace on this service's disk. */
  readonly captureWorkOf: (run: Run) => Effect.Effect<void>;
  readonly onFailure: (what: string, cause: Cause.Cause<unknown>) => void;
}

/** How many lost runs of one runner are ended at once: an engine that is away must not delay the others. */
const concurrency = 8;

/**
 * Makes the function that ends the remaining processes of an unsupervised run, then the run, which stays live where that
 * fails. It does not wait: a program that does not die must not delay the renewal of the lease.
 */
export const lostRuns = ({ runs, processes, runners, captureWorkOf, onFailure }: LostRunsParts) =>
  Effect.gen(function* () {
    const fibers = yield* FiberMap.make<RunId, void>();
    const permits = new Map<string | null, Semaphore.Semaphore>();
    const permitsOf = ({ runner }: Run) => {
      const known = permits.get(runner) ?? Semaphore.makeUnsafe(concurrency);
      permits.set(runner, known);
      return known;
    };
    /** On the machine, too: the host of an external adapter is there, wherever its programs are. */
    const endLeftoversOf = (run: Run) => {
      const runner = run.runner === null ? null : runners.get(run.runner);
      return Effect.forEach(
        new Set([processes, ...(runner === null ? [] : [runner.processes])]),
        (each) => each.endOrphans(run.id, run.process, leftoverGraceSec),
        { concurrency: "unbounded", discard: true },
      );
    };
    const endLostRun = (run: Run, isReachable: boolean) =>
      (isReachable ? Effect.andThen(endLeftoversOf(run), captureWorkOf(run)) : Effect.void).pipe(
        Effect.andThen(runs.finish({ run, outcome: "lost", lastOutput: null })),
        Effect.catchCause((cause) => Effect.sync(() => onFailure("ending a lost run", cause))),
        Effect.asVoid,
        permitsOf(run).withPermit,
      );
    /** `isReachable`: this service reaches its processes. */
    return (run: Run, isReachable: boolean): Effect.Effect<void> =>
      Effect.asVoid(FiberMap.run(fibers, run.id, endLostRun(run, isReachable), { onlyIfMissing: true }));
  });

export type RecoverRun = Effect.Success<ReturnType<typeof lostRuns>>;
