import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { isHeldAsRestored, type Restored } from "./restored.ts";

/** Lets the agents of a restored database work. Returns its hold as it is then; null where it was never restored. */
export const releaseAfterRestore =
  (transactor: Transactor, clock: Clock) => (): Effect.Effect<Restored | null> =>
    transactor.transact(({ services }) =>
      Effect.gen(function* () {
        const restored = yield* services.lockRestored();
        if (restored === null || !isHeldAsRestored(restored)) return restored;
        const releasedAt = clock.now();
        yield* services.release(releasedAt);
        return { ...restored, releasedAt };
      }),
    );
