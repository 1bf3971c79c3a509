import * as Effect from "effect/Effect";
import type { Calendar, CronSchedule } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { CompanyId, RoutineId, TriggerId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { checkSchedule, nextTick } from "./schedule.ts";

export interface NextFire {
  readonly triggerId: TriggerId;
  readonly scheduledFor: Instant;
}

/** Returns when the enabled schedules of a routine fire next while it is active, earliest first. */
export const nextFires =
  (transactor: Transactor, clock: Clock, calendar: Calendar) =>
  ({ routineId, count }: { readonly routineId: RoutineId; readonly count: number }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const at = clock.now();
        const fires: NextFire[] = [];
        for (const trigger of yield* stores.routines.triggers(routineId)) {
          if (trigger.kind !== "schedule" || !trigger.enabled) continue;
          for (const scheduledFor of ticksAfter(calendar, trigger, at, count))
            fires.push({ triggerId: trigger.id, scheduledFor });
        }
        return fires.sort(byTick).slice(0, count);
      }),
    );

export interface CompanyNextFire extends NextFire {
  readonly routineId: RoutineId;
  readonly routineTitle: string;
  readonly triggerLabel: string | null;
  readonly timezone: string;
}

/** When the schedules of a company fire next, those of its active routines, earliest first. */
export const companyNextFires =
  (transactor: Transactor, clock: Clock, calendar: Calendar) =>
  ({ companyId, count }: { readonly companyId: CompanyId; readonly count: number }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const at = clock.now();
        const fires: CompanyNextFire[] = [];
        // So many schedules are enough: each of them fires before all others do.
        for (const { cronExpression, nextFireAt, ...of } of yield* stores.routines.nextSchedules(
          companyId,
          count,
        )) {
          // A tick that is overdue is fired yet; those that passed after it may be missed.
          const after = nextFireAt > at ? nextFireAt : at;
          const later = ticksAfter(calendar, { cronExpression, timezone: of.timezone }, after, count - 1);
          for (const scheduledFor of [nextFireAt, ...later]) fires.push({ ...of, scheduledFor });
        }
        return fires.sort(byTick).slice(0, count);
      }),
    );

/** When a schedule would fire that nothing has yet. */
export const previewFires = (clock: Clock, calendar: Calendar) =>
  Effect.fnUntraced(function* ({ count, ...schedule }: CronSchedule & { readonly count: number }) {
    yield* checkSchedule(calendar, schedule);
    return ticksAfter(calendar, schedule, clock.now(), count);
  });

const byTick = (a: NextFire, b: NextFire) => (a.scheduledFor < b.scheduledFor ? -1 : 1);

const ticksAfter = (
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
