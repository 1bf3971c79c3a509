import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transactAs } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { differencesOf } from "../model/activity/differences.ts";
import {
  changedRoutineFields,
  editRoutine,
  fieldsOf,
  isBasedOn,
  mayChange,
  type Routine,
} from "../model/routines/routine.ts";
import { revise } from "../model/routines/routine-revision.ts";
import type { RoutineId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";
import type { RoutineChanges } from "./create-routine.ts";
import { checkReferences, newReferences } from "./routine-references.ts";
import { scheduled } from "./schedule.ts";

export interface UpdateRoutine extends RoutineChanges {
  readonly routineId: RoutineId;
  readonly by: Actor;
  /** The revision the change is based on; refused where it is not the latest. */
  readonly baseRevisionId?: string | undefined;
}

/** Changes a routine. A change without effect creates no revision. */
export const updateRoutine =
  (transactor: Transactor, clock: Clock, ids: Ids, calendar: Calendar) =>
  ({ routineId, by, baseRevisionId, ...changes }: UpdateRoutine) =>
    transactAs(transactor, by, function* (stores) {
      const before = yield* Effect.flatMap(stores.routines.lock(routineId), (routine) =>
        Effect.fromResult(mayChange(routine, by)),
      );
      yield* Effect.fromResult(isBasedOn(before, baseRevisionId));
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const at = clock.now();
      const edited = yield* Effect.fromResult(editRoutine(before, { ...fieldsOf(before), ...given }, by, at));
      const changed = changedRoutineFields(before, edited);
      if (changed.length === 0) return before;
      yield* checkReferences(stores, before.companyId, newReferences(before, edited));
      const triggers = yield* stores.routines.triggers(routineId);
      const { routine, revision } = revise(edited, triggers, {
        id: ids.next<"revision">(),
        summary: `Changed ${changed.join(", ")}`,
        by,
        at,
      });
      yield* stores.routines.save(routine);
      yield* stores.routines.insertRevision(revision);
      if (changed.includes("status"))
        for (const trigger of triggers)
          yield* stores.routines.setNextFire(
            trigger.id,
            scheduled(calendar, trigger, routine.status, at).nextFireAt,
            at,
          );
      yield* noteChanges(stores, before, routine, changed, by, at);
      return routine;
    });

const noteChanges = Effect.fnUntraced(function* (
  stores: Stores,
  before: Routine,
  after: Routine,
  changed: readonly string[],
  by: Actor,
  at: Instant,
) {
  const others = changed.filter((field) => field !== "status");
  if (others.length > 0)
    yield* logAction(stores, after, by, at, "routine.updated", {
      changed: others,
      differences: differencesOf(before, after, others),
    });
  if (changed.includes("status"))
    yield* logAction(stores, after, by, at, "routine.status_changed", {
      from: before.status,
      to: after.status,
    });
});
