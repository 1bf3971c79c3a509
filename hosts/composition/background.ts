import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Queue from "effect/Queue";
import type * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import type { Assets } from "../../core/assets/index.ts";
import type { Costs } from "../../core/costs/index.ts";
import type { Routines } from "../../core/routines/index.ts";
import type { ClaimedRun } from "../../core/runs/claim-runs.ts";
import type { conductRun } from "../../core/runs/conduct-run.ts";
import type { Caps } from "../../core/runs/gate.ts";
import type { Runs } from "../../core/runs/index.ts";
import { leftoverGraceSec, truthSec } from "../../core/runs/lease.ts";
import type { Run } from "../../core/runs/run.ts";
import { isUuid, type RunId } from "../../core/shared/ids.ts";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Idempotency } from "../../ports/idempotency.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import type { Service } from "../../ports/stores/service-store.ts";
import type { Views } from "../../ports/views.ts";
import type { WorkSignals } from "../../ports/work-signals.ts";
import { watchSchedules } from "./watch-schedules.ts";

export interface BackgroundParts {
  readonly service: Service;
  readonly routines: Routines;
  readonly runs: Runs;
  readonly costs: Costs;
  readonly views: Views;
  readonly conduct: ReturnType<typeof conductRun>;
  readonly adapters: AdapterRegistry;
  readonly processes: ProcessRunner;
  readonly signals: WorkSignals;
  readonly idempotency: Idempotency;
  readonly assets: Pick<Assets, "sweep">;
  readonly clock: Clock;
  readonly caps: Caps;
  /** Told of what went wrong on a round; the next round comes anyway. */
  readonly onTrouble: (what: string, cause: Cause.Cause<unknown>) => void;
}

/** How many runs one transaction claims at most. */
const claimBatch = 20;
/** A wake that no signal announced waits this long at most. */
const pollMs = 2_000;
const timerMs = 1_000;
/** After a round that failed. */
const troubleMs = 300;
const truthMs = truthSec * 1000;
/** How many lost runs are cleared away at once. */
const recoveries = 8;
const sweepMs = 10 * 60_000;
const fileSweepMs = 60_000;

export interface Background {
  /** Milliseconds since the last round of claims ended. */
  sinceLastRoundMs(): number;
}

/**
 * The work that no request carries: claiming and conducting runs, stopping them, timers, leases. Everything is a fiber
 * of the scope; closing it stops the claims, tells the running runs to end, and waits until they have.
 */
export const background = (parts: BackgroundParts): Effect.Effect<Background, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { runs, service, processes, views } = parts;
    const running = new Map<RunId, AbortController>();
    const recovering = new Set<RunId>();
    const hands = yield* Semaphore.make(recoveries);
    const scope = yield* Effect.scope;
    const work = yield* Queue.sliding<void>(1);
    const nudge = () => void Queue.offerUnsafe(work, undefined);
    let lastRound = performance.now();

    /** Ends what is left of a run that nobody has in supervision any more, then ends the run. */
    const recover = (run: Run, isHere: boolean) =>
      Effect.suspend(() => {
        if (running.has(run.id) || recovering.has(run.id)) return Effect.void;
        recovering.add(run.id);
        const identity =
          run.processPid === null || run.processStartedAt === null
            ? null
            : { pid: run.processPid, startedAt: run.processStartedAt };
        return (isHere ? processes.endLeftovers(run.id, identity, leftoverGraceSec) : Effect.void).pipe(
          Effect.andThen(runs.finish({ run, outcome: "lost", lastOutput: null })),
          Effect.catchCause((cause) => Effect.sync(() => parts.onTrouble("clearing away a lost run", cause))),
          Effect.ensuring(Effect.sync(() => recovering.delete(run.id))),
          hands.withPermit,
          // Not waited for: what will not die must not keep the lease from being renewed.
          Effect.forkIn(scope),
        );
      });
    const keepLease = runs
      .keepLease(service)
      .pipe(
        Effect.flatMap((lost) =>
          Effect.forEach(lost, ({ isHere, ...run }) => recover(run, isHere), { discard: true }),
        ),
      );
    /** A service whose process is gone from this machine is dead, however long its lease still lasts. */
    const buryNeighbours = Effect.gen(function* () {
      for (const { id, pid, processStartedAt } of yield* runs.servicesOn(service.host)) {
        if (id === service.id || processStartedAt === null) continue;
        if (!(yield* processes.isAlive({ pid, startedAt: processStartedAt }))) yield* runs.endLease(id);
      }
    });

    yield* buryNeighbours;
    yield* keepLease;
    yield* Effect.addFinalizer(() => runs.endLease(service.id).pipe(Effect.ignoreCause));
    const conducts = yield* Effect.acquireRelease(
      Effect.sync(() => new Set<Fiber.Fiber<void>>()),
      (live) =>
        Effect.gen(function* () {
          if (live.size === 0) return;
          yield* runs.stopRunsOf(service.id).pipe(Effect.ignoreCause);
          for (const stop of running.values()) stop.abort();
          yield* Effect.forEach([...live], Fiber.await, { concurrency: "unbounded", discard: true });
        }),
    );

    const conduct = (claimed: ClaimedRun) =>
      Effect.gen(function* () {
        const stop = new AbortController();
        running.set(claimed.run.id, stop);
        const fiber = yield* Effect.forkDetach(
          parts.conduct(claimed, stop.signal).pipe(
            Effect.catchCause((cause) => Effect.sync(() => parts.onTrouble("conducting a run", cause))),
            Effect.ensuring(Effect.sync(() => running.delete(claimed.run.id))),
            // What ended has freed a slot, and may have left a wake.
            Effect.ensuring(Effect.sync(nudge)),
          ),
        );
        conducts.add(fiber);
        fiber.addObserver(() => conducts.delete(fiber));
      });

    const round = Effect.gen(function* () {
      for (const { id } of yield* views.runs.stopsRequested(service.id)) running.get(id)?.abort();
      let claimed: readonly ClaimedRun[];
      do {
        claimed = yield* runs.claim({
          serviceId: service.id,
          adapterTypes: [...parts.adapters.loaded().keys()],
          limit: claimBatch,
          caps: parts.caps,
        });
        yield* Effect.forEach(claimed, conduct, { discard: true });
      } while (claimed.length > 0);
      lastRound = performance.now();
    });

    const every = (millis: number, what: string, task: Effect.Effect<unknown>) =>
      task.pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : // A database that is away is not to be asked in a circle.
              Effect.andThen(
                Effect.sync(() => parts.onTrouble(what, cause)),
                Effect.sleep(troubleMs),
              ),
        ),
        Effect.andThen(Effect.sleep(millis)),
        Effect.forever,
        Effect.forkScoped,
      );

    yield* parts.signals.listen(nudge);
    yield* every(
      0,
      "claiming runs",
      round.pipe(Effect.andThen(Effect.raceFirst(Queue.take(work), Effect.sleep(pollMs)))),
    );
    yield* watchSchedules(parts);
    yield* every(timerMs, "firing timers", runs.tickTimers(100));
    yield* every(timerMs, "lifting budget holds of past months", parts.costs.liftHolds());
    yield* every(truthMs, "keeping the lease", keepLease);
    let unattended: ReadonlySet<RunId> = new Set();
    const agree = Effect.gen(function* () {
      yield* buryNeighbours;
      // Ended by others, who took this service for dead: its program must not go on.
      for (const id of yield* views.runs.endedAmong([...running.keys()])) running.get(id)?.abort();
      // In our supervision by the table, and yet nobody carries it out: seen twice, because a claim is a moment old at first.
      const adrift = (yield* views.runs.supervisedBy(service.id)).filter(({ id }) => !running.has(id));
      for (const run of adrift) if (unattended.has(run.id)) yield* recover(run, true);
      unattended = new Set(adrift.map(({ id }) => id));
      // Processes of runs that have ended.
      const carried = [...(yield* processes.runIdsAlive())].filter(isUuid) as RunId[];
      for (const id of yield* views.runs.endedAmong(carried.filter((id) => !running.has(id))))
        yield* Effect.forkIn(processes.endLeftovers(id, null, leftoverGraceSec), scope);
    });
    yield* every(truthMs, "comparing runs and processes", agree);
    yield* every(
      sweepMs,
      "forgetting old requests",
      Effect.suspend(() => parts.idempotency.sweep(parts.clock.now())),
    );
    yield* every(
      fileSweepMs,
      "deleting files nobody needs",
      Effect.suspend(() => Effect.orDie(parts.assets.sweep())),
    );
    return { sinceLastRoundMs: () => performance.now() - lastRound };
  });
