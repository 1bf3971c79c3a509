import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { entryAbout } from "../model/activity/activity-entry.ts";
import { isHeldAsRestored } from "../model/runs/restored.ts";

/**
 * Lets the agents of a restored database work, and logs it in each company. Returns its hold as it is then; null where it
 * was never restored.
 */
export const releaseAfterRestore = useCase(
  "runs.releaseAfterRestore",
  function* (unit, { by }: { readonly by: Actor }) {
    const restored = yield* unit.services.lockRestored();
    if (restored === null || !isHeldAsRestored(restored)) return restored;
    const { at: releasedAt } = unit;
    yield* unit.services.release(releasedAt);
    const { heldSince } = restored;
    yield* unit.activity.appendAll(
      (yield* unit.companies.ids()).map((companyId) =>
        entryAbout({ companyId, id: companyId }, by, releasedAt, "company.released_after_restore", {
          heldSince,
        }),
      ),
    );
    return { ...restored, releasedAt };
  },
);
