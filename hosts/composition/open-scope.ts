import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import * as Scope from "effect/Scope";

/** Something acquired, and how it is let go. */
export interface Opened<A> {
  readonly value: A;
  close(): Promise<void>;
}

/**
 * Runs an effect that acquires, keeping its scope open until `close`. Rejects with the typed failure itself, and once
 * all is let go again where the signal comes before the effect is through.
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
