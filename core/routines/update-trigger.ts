import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transactAs } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { changedTriggerFields, changeTrigger, type TriggerFields } from "../model/routines/trigger.ts";
import type { TriggerId } from "../model/shared/ids.ts";
import { keepRevision } from "./keep-revision.ts";
import { lockTrigger } from "./lock-trigger.ts";
import { checkSchedule, scheduled } from "./schedule.ts";

export interface ChangeTrigger extends TriggerFields {
  readonly triggerId: TriggerId;
  readonly by: Actor;
}

export const updateTrigger =
  (transactor: Transactor, clock: Clock, ids: Ids, calendar: Calendar) =>
  ({ triggerId, by, ...fields }: ChangeTrigger) =>
    transactAs(transactor, by, function* (stores) {
      const { routine, trigger: before, triggers } = yield* lockTrigger(stores, triggerId, by);
      const at = clock.now();
      const edited = yield* Effect.fromResult(changeTrigger(before, fields, at));
      const changed = changedTriggerFields(before, edited);
      if (changed.length === 0) return before;
      const isRescheduled = changed.some(
        (name) => name === "cronExpression" || name === "timezone" || name === "enabled",
      );
      yield* checkSchedule(calendar, edited);
      const after = isRescheduled ? scheduled(calendar, edited, routine.status, at) : edited;
      yield* stores.routines.saveTrigger(after);
      yield* keepRevision(
        stores,
        ids,
        routine,
        triggers.map((each) => (each.id === triggerId ? after : each)),
        { summary: `Changed ${changed.join(", ")} of a ${after.kind} trigger`, by, at },
      );
      yield* logAction(stores, routine, by, at, "routine.trigger_updated", { triggerId, changed });
      return after;
    });
