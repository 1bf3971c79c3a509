import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type { OneAtATime } from "../../../core/code/workspaces/capture-workspace.ts";

/** Work of the same key follows one after the other, within this process. */
export const oneAtATime = (): OneAtATime => {
  const live = new Map<string, Deferred.Deferred<void>>();
  const sequentially: OneAtATime = (key, work) =>
    Effect.suspend(() => {
      const other = live.get(key);
      if (other !== undefined) return Effect.andThen(Deferred.await(other), sequentially(key, work));
      const own = Deferred.makeUnsafe<void>();
      live.set(key, own);
      return Effect.ensuring(
        work,
        Effect.suspend(() => {
          live.delete(key);
          return Deferred.succeed(own, undefined);
        }),
      );
    });
  return sequentially;
};
