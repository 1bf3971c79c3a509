import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Queue from "effect/Queue";
import type * as Scope from "effect/Scope";
import type { Job } from "../../../core/access/job.ts";
import { schedulerIntervalSec } from "../../../core/model/routines/catch-up.ts";
import { addSeconds, type Instant } from "../../../core/model/shared/instant.ts";
import type { Routines } from "../../../core/routines/index.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Views } from "../../../ports/views.ts";
import type { WorkSignals } from "../../../ports/work-signals.ts";

export interface ScheduleParts {
  readonly routines: Pick<Routines, "tick">;
  readonly views: Pick<Views, "routines">;
  readonly signals: Pick<WorkSignals, "listenForSchedules">;
  readonly clock: Clock;
  /** Waits for a leap of the clock. */
  readonly leaps: Effect.Effect<void>;
  readonly onFailure: (what: string, cause: Cause.Cause<unknown>) => void;
}

/** How many due triggers one query returns. */
const batch = 200;
/** How many triggers fire at once; the other database connections serve requests. */
const concurrency = 2;
/** The delay before retrying triggers that another service has locked. */
const lockedPauseMs = 100;
/** The delay before retrying triggers that failed. */
const failurePauseMs = 5_000;

/**
 * The job that fires schedules on time. Each round sleeps until the earliest tick; a signal of an earlier one and a leap of the clock wake it.
 * It also checks every half minute, which covers the clocks of other services.
 */
export const watchSchedules = (parts: ScheduleParts): Effect.Effect<Job, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { routines, views, clock } = parts;
    const changes = yield* Queue.sliding<void>(1);
    yield* parts.signals.listenForSchedules(() => void Queue.offerUnsafe(changes, undefined));
    /** The last round. No tick is missed since its beginning if this round follows within two intervals of its end. */
    let lastRound: { readonly began: Instant; readonly ended: Instant } | null = null;
    let pauseMs = lockedPauseMs;

    const round = Effect.gen(function* () {
      const began = clock.now();
      const followsOn = lastRound !== null && addSeconds(lastRound.ended, 2 * schedulerIntervalSec) > began;
      const atWorkSince = followsOn ? lastRound?.began : undefined;
      const failed = new Set<string>();
      for (;;) {
        const due = (yield* views.routines.due(clock.now(), batch + failed.size)).filter(
          (id) => !failed.has(id),
        );
        const fired = yield* Effect.forEach(
          due,
          (triggerId) =>
            routines.tick({ triggerId, atWorkSince }).pipe(
              Effect.catchCause((cause) => {
                if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause);
                // A trigger that fails must not block the others.
                failed.add(triggerId);
                parts.onFailure("firing a schedule", cause);
                return Effect.succeed(null);
              }),
            ),
          { concurrency },
        );
        if (fired.every((count) => count === null)) break;
      }
      lastRound = { began, ended: clock.now() };
      pauseMs = failed.size > 0 ? failurePauseMs : lockedPauseMs;
    });

    const untilNext = Effect.gen(function* () {
      const next = yield* views.routines.nextFireAt();
      const inMs = next === null ? Number.POSITIVE_INFINITY : Date.parse(next) - Date.parse(clock.now());
      const waitMs = Math.min(schedulerIntervalSec * 1000, Math.max(inMs, pauseMs));
      yield* Effect.raceAllFirst([Queue.take(changes), parts.leaps, Effect.sleep(waitMs)]);
    });

    return { name: "watching schedules", everyMs: 0, run: Effect.andThen(round, untilNext) };
  });
