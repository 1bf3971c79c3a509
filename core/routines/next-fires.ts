import type { Calendar } from "../../ports/calendar.ts";
import { useCase } from "../access/unit-of-work.ts";
import { earliest, type NextFire } from "../model/routines/next-fire.ts";
import type { RoutineId } from "../model/shared/ids.ts";
import { ticksAfter } from "./schedule.ts";

/** Returns when the enabled schedules of a routine fire next while it is active, earliest first. */
export const nextFires = (calendar: Calendar) =>
  useCase(
    "routines.nextFires",
    function* (unit, { routineId, count }: { readonly routineId: RoutineId; readonly count: number }) {
      const fires: NextFire[] = [];
      for (const trigger of yield* unit.routines.triggers(routineId)) {
        if (trigger.kind !== "schedule" || !trigger.enabled) continue;
        for (const scheduledFor of ticksAfter(calendar, trigger, unit.at, count))
          fires.push({ triggerId: trigger.id, scheduledFor });
      }
      return earliest(fires, count);
    },
  );
