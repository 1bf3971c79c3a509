import type * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { entryAbout } from "../model/activity/activity-entry.ts";
import { isHeldAsRestored, type Restored } from "../model/runs/restored.ts";

/**
 * Lets the agents of a restored database work, and logs it in each company. Returns its hold as it is then; null where it
 * was never restored.
 */
export const releaseAfterRestore =
  (transactor: Transactor, clock: Clock) =>
  ({ by }: { readonly by: Actor }): Effect.Effect<Restored | null> =>
    transact(transactor, function* ({ services, companies, activity }) {
      const restored = yield* services.lockRestored();
      if (restored === null || !isHeldAsRestored(restored)) return restored;
      const releasedAt = clock.now();
      yield* services.release(releasedAt);
      const { heldSince } = restored;
      yield* activity.appendAll(
        (yield* companies.ids()).map((companyId) =>
          entryAbout({ companyId, id: companyId }, by, releasedAt, "company.released_after_restore", {
            heldSince,
          }),
        ),
      );
      return { ...restored, releasedAt };
    });
