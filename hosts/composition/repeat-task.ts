import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type * as Scope from "effect/Scope";

/** The pause after a failed round, so that an unreachable database does not cause a busy loop. */
const failurePauseMs = 300;

/** Repeats a task in the background until the scope closes, with a pause between two rounds. */
export type RepeatTask = (
  pauseMs: number,
  what: string,
  task: Effect.Effect<unknown>,
) => Effect.Effect<void, never, Scope.Scope>;

/** Calls `onFailure` for a round that fails; the next round follows anyway. */
export const repeatTask =
  (onFailure: (what: string, cause: Cause.Cause<unknown>) => void): RepeatTask =>
  (pauseMs, what, task) =>
    task.pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.andThen(
              Effect.sync(() => onFailure(what, cause)),
              Effect.sleep(failurePauseMs),
            ),
      ),
      Effect.repeat(Schedule.spaced(pauseMs)),
      Effect.forkScoped,
      Effect.asVoid,
    );
