import type * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as FiberMap from "effect/FiberMap";
import * as Option from "effect/Option";
import type * as Scope from "effect/Scope";
import type { ClaimedRun } from "../../core/runs/claim-runs.ts";
import type { conductRun } from "../../core/runs/conduct-run.ts";
import type { RunId } from "../../core/shared/ids.ts";

/** The runs that this process carries out. */
export interface LiveRuns {
  start(claimed: ClaimedRun): Effect.Effect<void>;
  /** Stops the run without waiting for its end. Does nothing if this process does not carry it out. */
  stop(runId: RunId): Effect.Effect<void>;
  has(runId: RunId): boolean;
  ids(): readonly RunId[];
}

export interface LiveRunsParts {
  readonly conduct: ReturnType<typeof conductRun>;
  /** Stores that all runs of this process are to stop, before the process ends. */
  readonly stopAll: Effect.Effect<unknown>;
  /** Called when a run has ended. */
  readonly onEnd: () => void;
  readonly onFailure: (what: string, cause: Cause.Cause<unknown>) => void;
}

/**
 * Carries out each run in a fiber; interrupting the fiber stops the run. Closing the scope waits until all have ended.
 */
export const liveRuns = (parts: LiveRunsParts): Effect.Effect<LiveRuns, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fibers = yield* FiberMap.make<RunId, void>();
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => (idsOf(fibers).length === 0 ? Effect.void : Effect.ignoreCause(parts.stopAll))),
    );
    const conduct = (claimed: ClaimedRun) =>
      runUntilStopped((stop) =>
        parts
          .conduct(claimed, stop)
          .pipe(Effect.catchCause((cause) => Effect.sync(() => parts.onFailure("conducting a run", cause)))),
      ).pipe(Effect.ensuring(Effect.sync(parts.onEnd)));
    return {
      start: (claimed) => Effect.asVoid(FiberMap.run(fibers, claimed.run.id, conduct(claimed))),
      stop: (runId) =>
        Effect.withFiber(({ id }) =>
          Effect.map(FiberMap.get(fibers, runId), (fiber) => {
            if (Option.isSome(fiber)) fiber.value.interruptUnsafe(id);
          }),
        ),
      has: (runId) => FiberMap.hasUnsafe(fibers, runId),
      ids: () => idsOf(fibers),
    };
  });

const idsOf = (fibers: FiberMap.FiberMap<RunId, void>): readonly RunId[] => Array.from(fibers, ([id]) => id);

/**
 * Runs the work to its end. An interruption aborts the signal and then waits, because a run that stops must still end
 * its program and store its result.
 */
const runUntilStopped = (work: (stop: AbortSignal) => Effect.Effect<void>): Effect.Effect<void> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const stop = new AbortController();
      const fiber = yield* Effect.forkDetach(work(stop.signal), { startImmediately: true });
      const ended = Effect.asVoid(Fiber.await(fiber));
      const stopAndWait = Effect.andThen(
        Effect.sync(() => stop.abort()),
        ended,
      );
      yield* Effect.onInterrupt(restore(ended), () => stopAndWait);
    }),
  );
