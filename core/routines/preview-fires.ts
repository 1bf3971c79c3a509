import * as Effect from "effect/Effect";
import type { Calendar, CronSchedule } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import { checkSchedule, ticksAfter } from "./schedule.ts";

/** When a schedule that is not stored yet would fire. */
export const previewFires = (clock: Clock, calendar: Calendar) =>
  Effect.fnUntraced(function* ({ count, ...schedule }: CronSchedule & { readonly count: number }) {
    yield* checkSchedule(calendar, schedule);
    return ticksAfter(calendar, schedule, clock.now(), count);
  });
