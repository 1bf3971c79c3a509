import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import { type UnitOfWork, useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { differencesOf } from "../model/activity/differences.ts";
import {
  changedRoutineFields,
  editRoutine,
  fieldsOf,
  isBasedOn,
  type Routine,
} from "../model/routines/routine.ts";
import type { RoutineId } from "../model/shared/ids.ts";
import type { RoutineChanges } from "./create-routine.ts";
import { lockForChange } from "./lock-for-change.ts";
import { checkReferences, newReferences } from "./routine-references.ts";
import { saveRevision } from "./save-revision.ts";
import { scheduled } from "./schedule.ts";

export interface UpdateRoutine extends RoutineChanges {
  readonly routineId: RoutineId;
  readonly by: Actor;
  /** The revision the change is based on; refused where it is not the latest. */
  readonly baseRevisionId?: string | undefined;
}

/** Changes a routine. A change without effect creates no revision. */
export const updateRoutine = (calendar: Calendar) =>
  useCase(
    "routines.update",
    function* (unit, { routineId, by: _, baseRevisionId, ...changes }: UpdateRoutine) {
      const before = yield* lockForChange(unit, routineId);
      yield* Effect.fromResult(isBasedOn(before, baseRevisionId));
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const edited = yield* Effect.fromResult(
        editRoutine(before, { ...fieldsOf(before), ...given }, unit.by, unit.at),
      );
      const changed = changedRoutineFields(before, edited);
      if (changed.length === 0) return before;
      yield* checkReferences(unit, before.companyId, newReferences(before, edited));
      const triggers = yield* unit.routines.triggers(routineId);
      const { routine } = yield* saveRevision(unit, edited, triggers, {
        summary: `Changed ${changed.join(", ")}`,
      });
      if (changed.includes("status"))
        for (const trigger of triggers)
          yield* unit.routines.setNextFire(
            trigger.id,
            scheduled(calendar, trigger, routine.status, unit.at).nextFireAt,
            unit.at,
          );
      yield* recordChanges(unit, before, routine, changed);
      return routine;
    },
  );

const recordChanges = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  before: Routine,
  after: Routine,
  changed: readonly string[],
) {
  const others = changed.filter((field) => field !== "status");
  if (others.length > 0)
    yield* unit.log("routine.updated", after, {
      changed: others,
      differences: differencesOf(before, after, others),
    });
  if (changed.includes("status"))
    yield* unit.log("routine.status_changed", after, { from: before.status, to: after.status });
});
