import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import type { RoutineId } from "../shared/ids.ts";
import { mayChange } from "./routine.ts";

export const lockForChange = (stores: Stores, routineId: RoutineId, by: Actor) =>
  Effect.flatMap(stores.routines.lock(routineId), (routine) => Effect.fromResult(mayChange(routine, by)));
