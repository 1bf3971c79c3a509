import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { Job } from "../../../core/access/job.ts";

/** The pause after a failed round, so that an unreachable database does not cause a busy loop. */
const failurePauseMs = 300;
/** The pause after a round that left work: the database serves others in between. */
const betweenRoundsMs = 100;

/** Reports a round that has failed, by the name of its job. */
export type OnFailure = (what: string, cause: Cause.Cause<unknown>) => void;

/** Repeats a job in a fiber of the scope. `announced` ends its pauses early. */
export const repeatJob = (
  { name, everyMs, run }: Pick<Job, "name" | "everyMs" | "run">,
  onFailure: OnFailure,
  announced: Effect.Effect<void> = Effect.never,
): Effect.Effect<void, never, Scope.Scope> => {
  const pause = Effect.raceFirst(announced, Effect.sleep(everyMs));
  return run.pipe(
    Effect.flatMap((isMore) => (isMore === true ? Effect.sleep(betweenRoundsMs) : pause)),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.andThen(
            Effect.sync(() => onFailure(name, cause)),
            // The work that was announced for the failed round is not announced again.
            Effect.sleep(announced === Effect.never ? failurePauseMs + everyMs : failurePauseMs),
          ),
    ),
    Effect.forever,
    Effect.forkScoped,
    Effect.asVoid,
  );
};
