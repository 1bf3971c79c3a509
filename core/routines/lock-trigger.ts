import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { mayChange } from "../model/routines/routine.ts";
import type { TriggerId } from "../model/shared/ids.ts";

/** Reads the trigger after its routine is locked. */
export const lockTrigger = Effect.fnUntraced(function* (unit: UnitOfWork, triggerId: TriggerId) {
  const { routineId } = yield* unit.routines.findTrigger(triggerId);
  const routine = yield* Effect.orDie(unit.routines.lock(routineId)).pipe(
    Effect.flatMap((found) => Effect.fromResult(mayChange(found, unit.by))),
  );
  const triggers = yield* unit.routines.triggers(routineId);
  const trigger =
    triggers.find(({ id }) => id === triggerId) ?? (yield* unit.routines.findTrigger(triggerId));
  return { routine, trigger, triggers };
});
