import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type * as Scope from "effect/Scope";

/** After a round that failed: a database that is away is not asked without a pause. */
const troubleMs = 300;

/** Repeats a task in the background, with that pause between two rounds, until the scope closes. */
export type RepeatTask = (
  pauseMs: number,
  what: string,
  task: Effect.Effect<unknown>,
) => Effect.Effect<void, never, Scope.Scope>;

/** `onTrouble` is told of what went wrong in a round; the next round comes anyway. */
export const repeatTask =
  (onTrouble: (what: string, cause: Cause.Cause<unknown>) => void): RepeatTask =>
  (pauseMs, what, task) =>
    task.pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.andThen(
              Effect.sync(() => onTrouble(what, cause)),
              Effect.sleep(troubleMs),
            ),
      ),
      Effect.repeat(Schedule.spaced(pauseMs)),
      Effect.forkScoped,
      Effect.asVoid,
    );
