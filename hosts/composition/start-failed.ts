import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import { isDiskFull, withRemedy } from "../../adapters-infra/local/full-disk.ts";

/** The service cannot start; the message has the reason and what to do. */
export class StartFailed extends Data.TaggedError("StartFailed")<{ readonly message: string }> {}

/** Turns any failure with a message into StartFailed. */
export const asStartFailed = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, ({ message }) => new StartFailed({ message }));

/** Says in the failure of any step of the start that met a full disk to make room on that of the data directory. */
export const explainFullDisk = <A, E, R>(
  starting: Effect.Effect<A, E, R>,
  { dataDir }: { readonly dataDir: string },
): Effect.Effect<A, E | StartFailed, R> => {
  const explained = (message: string) => new StartFailed({ message: withRemedy(message, dataDir) });
  return starting.pipe(
    Effect.mapError((error) =>
      error instanceof StartFailed && isDiskFull(error.message) ? explained(error.message) : error,
    ),
    Effect.catchDefect((defect) =>
      defect instanceof Error && isDiskFull(defect.message)
        ? Effect.fail(explained(defect.message))
        : Effect.die(defect),
    ),
  );
};
