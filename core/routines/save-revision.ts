import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import type { Routine } from "../model/routines/routine.ts";
import { type Revising, revise } from "../model/routines/routine-revision.ts";
import type { Trigger } from "../model/routines/trigger.ts";

/** Saves a routine with a new latest revision of itself and its triggers, and returns both. */
export const saveRevision = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  routine: Routine,
  triggers: readonly Trigger[],
  revising: Pick<Revising, "summary" | "restoredFrom"> & Partial<Pick<Revising, "id">>,
) {
  const next = revise(routine, triggers, {
    id: unit.newId<"revision">(),
    ...revising,
    by: unit.by,
    at: unit.at,
  });
  yield* unit.routines.save(next.routine);
  yield* unit.routines.insertRevision(next.revision);
  return next;
});
