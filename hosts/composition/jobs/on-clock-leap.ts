import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { Clock } from "../../../ports/clock.ts";

const checkMs = 1_000;
/** Far above what a clock is slewed by in a second. */
const leastLeapMs = 2_000;

/** Calls `onLeap` whenever the clock has leapt: its time and what has passed since the last check differ. */
export const onClockLeap = (clock: Clock, onLeap: () => void): Effect.Effect<void, never, Scope.Scope> => {
  /** Grows only by leaps. */
  const ahead = () => Date.parse(clock.now()) - performance.now();
  return Effect.suspend(() => {
    let before = ahead();
    const check = Effect.sync(() => {
      const now = ahead();
      if (Math.abs(now - before) >= leastLeapMs) onLeap();
      before = now;
    });
    return Effect.sleep(checkMs).pipe(
      Effect.andThen(check),
      Effect.forever,
      Effect.forkScoped,
      Effect.asVoid,
    );
  });
};
