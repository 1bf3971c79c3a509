import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import type { Actor } from "../model/access/caller.ts";
import { mayChange } from "../model/routines/routine.ts";
import type { RoutineId } from "../model/shared/ids.ts";

export const lockForChange = (stores: Stores, routineId: RoutineId, by: Actor) =>
  Effect.flatMap(stores.routines.lock(routineId), (routine) => Effect.fromResult(mayChange(routine, by)));
