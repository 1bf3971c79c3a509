import * as Data from "effect/Data";
import * as Effect from "effect/Effect";

/** The service cannot start; the message says why and what to do. */
export class StartFailed extends Data.TaggedError("StartFailed")<{ readonly message: string }> {}

/** Turns any failure with a message into StartFailed. */
export const asStartFailed = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, ({ message }) => new StartFailed({ message }));
