import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import type { RoutineStatus } from "../model/routines/routine.ts";
import { firesByItself, type Trigger } from "../model/routines/trigger.ts";
import type { Instant } from "../model/shared/instant.ts";

/** Returns the trigger with its next tick after that instant, or with none where it has no schedule. */
export const scheduled = (
  calendar: Calendar,
  trigger: Trigger,
  routine: RoutineStatus,
  at: Instant,
): Trigger => ({
  ...trigger,
  nextFireAt: firesByItself(trigger, routine) ? nextTick(calendar, trigger, at) : null,
});

/** Returns the tick of a schedule after an instant; null for other triggers. */
export const nextTick = (
  calendar: Calendar,
  { cronExpression, timezone }: Pick<Trigger, "cronExpression" | "timezone">,
  after: Instant,
): Instant | null =>
  cronExpression === null || timezone === null ? null : calendar.next({ cronExpression, timezone }, after);

/** Returns the next ticks of a schedule after an instant, up to the given number. */
export const ticksAfter = (
  calendar: Calendar,
  schedule: Parameters<typeof nextTick>[1],
  after: Instant,
  count: number,
): readonly Instant[] => {
  const ticks: Instant[] = [];
  let tick = nextTick(calendar, schedule, after);
  for (; tick !== null && ticks.length < count; tick = nextTick(calendar, schedule, tick)) ticks.push(tick);
  return ticks;
};

/** Refuses an invalid schedule. */
export const checkSchedule = (
  calendar: Calendar,
  { cronExpression, timezone }: Pick<Trigger, "cronExpression" | "timezone">,
) => {
  const refusal =
    cronExpression === null || timezone === null ? null : calendar.refuse({ cronExpression, timezone });
  return refusal === null ? Effect.void : Effect.fail(refusal);
};
