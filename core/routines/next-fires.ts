import type { Calendar } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { earliest, type NextFire } from "../model/routines/next-fire.ts";
import type { RoutineId } from "../model/shared/ids.ts";
import { ticksAfter } from "./schedule.ts";

/** Returns when the enabled schedules of a routine fire next while it is active, earliest first. */
export const nextFires =
  (transactor: Transactor, clock: Clock, calendar: Calendar) =>
  ({ routineId, count }: { readonly routineId: RoutineId; readonly count: number }) =>
    transact(transactor, function* (stores) {
      const at = clock.now();
      const fires: NextFire[] = [];
      for (const trigger of yield* stores.routines.triggers(routineId)) {
        if (trigger.kind !== "schedule" || !trigger.enabled) continue;
        for (const scheduledFor of ticksAfter(calendar, trigger, at, count))
          fires.push({ triggerId: trigger.id, scheduledFor });
      }
      return earliest(fires, count);
    });
