import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import * as Scope from "effect/Scope";

/** A resource and the function that releases it. */
export interface Opened<A> {
  readonly value: A;
  close(): Promise<void>;
}

/**
 * Runs an effect that acquires resources, and keeps its scope open until `close`. Rejects with the typed failure
 * itself. If the signal fires first, it releases everything and then rejects.
 */
export const openScope = async <A, E>(
  effect: Effect.Effect<A, E, Scope.Scope>,
  signal?: AbortSignal,
): Promise<Opened<A>> => {
  const scope = Effect.runSync(Scope.make());
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void));
  const exit = await Effect.runPromiseExit(Effect.provideService(effect, Scope.Scope, scope), { signal });
  if (Exit.isSuccess(exit)) return { value: exit.value, close };
  await close();
  const failure = Cause.findError(exit.cause);
  throw Result.isSuccess(failure) ? failure.success : Cause.squash(exit.cause);
};
