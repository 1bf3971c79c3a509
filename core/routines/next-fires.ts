import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { RoutineId, TriggerId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { nextTick } from "./schedule.ts";

export interface NextFire {
  readonly triggerId: TriggerId;
  readonly scheduledFor: Instant;
}

/** When the enabled schedules of a routine would fire next if it is or were active, earliest first. */
export const nextFires =
  (transactor: Transactor, clock: Clock, calendar: Calendar) =>
  ({ routineId, count }: { readonly routineId: RoutineId; readonly count: number }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const at = clock.now();
        const fires: NextFire[] = [];
        for (const trigger of yield* stores.routines.triggers(routineId)) {
          if (trigger.kind !== "schedule" || !trigger.enabled) continue;
          let tick = nextTick(calendar, trigger, at);
          for (let n = 0; n < count && tick !== null; n++) {
            fires.push({ triggerId: trigger.id, scheduledFor: tick });
            tick = nextTick(calendar, trigger, tick);
          }
        }
        return fires.sort((a, b) => (a.scheduledFor < b.scheduledFor ? -1 : 1)).slice(0, count);
      }),
    );
