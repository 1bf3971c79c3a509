import type * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as FiberMap from "effect/FiberMap";
import * as Option from "effect/Option";
import type * as Scope from "effect/Scope";
import type { RunId } from "../../../core/model/shared/ids.ts";
import type { ClaimedRun } from "../../../core/runs/claim-runs.ts";
import type { conductRun } from "../../../core/runs/conduct-run.ts";
import type { ContinuedRun, continueRun } from "../../../core/runs/continue-run.ts";
import type { Handover } from "../../../ports/process-runner.ts";

/** The runs that this process carries out. */
export interface LiveRuns {
  start(claimed: ClaimedRun): Effect.Effect<void>;
  /** Carries out the rest of a run that another service has begun. */
  continue(run: ContinuedRun): Effect.Effect<void>;
  /** Stops the run without waiting for its end. Does nothing if this process does not carry it out. */
  stop(runId: RunId): Effect.Effect<void>;
  has(runId: RunId): boolean;
  ids(): readonly RunId[];
}

export interface LiveRunsParts {
  readonly conduct: ReturnType<typeof conductRun>;
  readonly continueRun: ReturnType<typeof continueRun>;
  /** null: all runs end with this process. */
  readonly handover: Handover | null;
  /** Whether this process ends for another one that continues its runs. */
  readonly isReplaced: () => boolean;
  /** Stores that all runs of this process but those are to stop, before the process ends. */
  readonly stopAll: (outlive: readonly RunId[]) => Effect.Effect<unknown>;
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
    const orphaned = new Set<RunId>();
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        const ids = idsOf(fibers);
        const { handover } = parts;
        if (handover !== null && parts.isReplaced()) {
          for (const id of ids) if (handover.supervises(id)) orphaned.add(id);
          handover.leave();
        }
        return ids.length === orphaned.size ? Effect.void : Effect.ignoreCause(parts.stopAll([...orphaned]));
      }),
    );
    const carryOut = (id: RunId, work: (stop: AbortSignal) => Effect.Effect<void>) =>
      runUntilStopped(
        (stop) =>
          work(stop).pipe(
            Effect.catchCause((cause) => Effect.sync(() => parts.onFailure("conducting a run", cause))),
          ),
        () => orphaned.has(id),
      ).pipe(Effect.ensuring(Effect.sync(parts.onEnd)));
    const begin = (id: RunId, work: (stop: AbortSignal) => Effect.Effect<void>) =>
      Effect.asVoid(FiberMap.run(fibers, id, carryOut(id, work), { onlyIfMissing: true }));
    return {
      start: (claimed) => begin(claimed.run.id, (stop) => parts.conduct(claimed, stop)),
      continue: (continued) => begin(continued.run.id, (stop) => parts.continueRun(continued, stop)),
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
 * its program and store its result; one that is left to another service is neither stopped nor awaited.
 */
const runUntilStopped = (
  work: (stop: AbortSignal) => Effect.Effect<void>,
  isOrphaned: () => boolean,
): Effect.Effect<void> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const stop = new AbortController();
      const fiber = yield* Effect.forkDetach(work(stop.signal), { startImmediately: true });
      const ended = Effect.asVoid(Fiber.await(fiber));
      const stopAndWait = Effect.andThen(
        Effect.sync(() => stop.abort()),
        ended,
      );
      yield* Effect.onInterrupt(restore(ended), () => (isOrphaned() ? Effect.void : stopAndWait));
    }),
  );
