import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import type { Actor } from "../model/access/caller.ts";
import { mayChange } from "../model/routines/routine.ts";
import type { TriggerId } from "../model/shared/ids.ts";

/** Reads the trigger after its routine is locked. */
export const lockTrigger = Effect.fnUntraced(function* (stores: Stores, triggerId: TriggerId, by: Actor) {
  const { routineId } = yield* stores.routines.findTrigger(triggerId);
  const routine = yield* Effect.orDie(stores.routines.lock(routineId)).pipe(
    Effect.flatMap((found) => Effect.fromResult(mayChange(found, by))),
  );
  const triggers = yield* stores.routines.triggers(routineId);
  const trigger =
    triggers.find(({ id }) => id === triggerId) ?? (yield* stores.routines.findTrigger(triggerId));
  return { routine, trigger, triggers };
});
