import type { Calendar } from "../../ports/calendar.ts";
import { useCase } from "../access/unit-of-work.ts";
import { earliest, type NextFire } from "../model/routines/next-fire.ts";
import type { CompanyId, RoutineId } from "../model/shared/ids.ts";
import { ticksAfter } from "./schedule.ts";

export interface CompanyNextFire extends NextFire {
  readonly routineId: RoutineId;
  readonly routineTitle: string;
  readonly triggerLabel: string | null;
  readonly timezone: string;
}

/** When the schedules of a company fire next, those of its active routines, earliest first. */
export const companyNextFires = (calendar: Calendar) =>
  useCase(
    "routines.companyNextFires",
    function* (unit, { companyId, count }: { readonly companyId: CompanyId; readonly count: number }) {
      const fires: CompanyNextFire[] = [];
      // So many schedules are enough: each of them fires before all others do.
      for (const { cronExpression, nextFireAt, ...of } of yield* unit.routines.nextSchedules(
        companyId,
        count,
      )) {
        // An overdue tick will still fire; those that passed after it may be missed. One that lies beyond the next tick was
        // calculated by a clock that has since been set back.
        const overdue = nextFireAt > unit.at ? [] : [nextFireAt];
        const ahead = ticksAfter(calendar, { cronExpression, timezone: of.timezone }, unit.at, count);
        for (const scheduledFor of [...overdue, ...ahead].slice(0, count))
          fires.push({ ...of, scheduledFor });
      }
      return earliest(fires, count);
    },
  );
