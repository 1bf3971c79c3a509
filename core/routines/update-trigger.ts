import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { changedTriggerFields, changeTrigger, type TriggerFields } from "../model/routines/trigger.ts";
import type { TriggerId } from "../model/shared/ids.ts";
import { lockTrigger } from "./lock-trigger.ts";
import { saveRevision } from "./save-revision.ts";
import { checkSchedule, scheduled } from "./schedule.ts";

export interface ChangeTrigger extends TriggerFields {
  readonly triggerId: TriggerId;
  readonly by: Actor;
}

export const updateTrigger = (calendar: Calendar) =>
  useCase("routines.updateTrigger", function* (unit, { triggerId, by: _, ...fields }: ChangeTrigger) {
    const { routine, trigger: before, triggers } = yield* lockTrigger(unit, triggerId);
    const edited = yield* Effect.fromResult(changeTrigger(before, fields, unit.at));
    const changed = changedTriggerFields(before, edited);
    if (changed.length === 0) return before;
    const isRescheduled = changed.some(
      (name) => name === "cronExpression" || name === "timezone" || name === "enabled",
    );
    yield* checkSchedule(calendar, edited);
    const after = isRescheduled ? scheduled(calendar, edited, routine.status, unit.at) : edited;
    yield* unit.routines.saveTrigger(after);
    yield* saveRevision(
      unit,
      routine,
      triggers.map((each) => (each.id === triggerId ? after : each)),
      { summary: `Changed ${changed.join(", ")} of a ${after.kind} trigger` },
    );
    yield* unit.log("routine.trigger_updated", routine, { triggerId, changed });
    return after;
  });
