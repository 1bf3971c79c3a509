import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { mayChange } from "../model/routines/routine.ts";
import type { RoutineId } from "../model/shared/ids.ts";

export const lockForChange = (unit: UnitOfWork, routineId: RoutineId) =>
  Effect.flatMap(unit.routines.lock(routineId), (routine) => Effect.fromResult(mayChange(routine, unit.by)));
