import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import type { DueTrigger } from "../../ports/stores/routine-store.ts";
import { type UnitOfWork, useCase } from "../access/unit-of-work.ts";
import { companyStatus } from "../model/companies/company-status.ts";
import { type DueTicks, decideTicks, schedulerIntervalSec } from "../model/routines/catch-up.ts";
import { belongsToOriginal, isHeldAsRestored } from "../model/runs/restored.ts";
import type { TriggerId } from "../model/shared/ids.ts";
import { addSeconds, type Instant } from "../model/shared/instant.ts";
import { fire } from "./fire.ts";
import { nextTick } from "./schedule.ts";

export interface TickSchedule {
  readonly triggerId: TriggerId;
  /** When this scheduler began to run without a gap; an earlier tick counts as missed. */
  readonly atWorkSince?: Instant | undefined;
}

/**
 * Fires the due ticks of one trigger and sets its next tick, in one transaction: of several services one does it, and
 * one that dies before the commit has no effect. Returns the number of fired ticks; null where nothing was due or
 * another service holds the lock.
 */
export const tickSchedule = (calendar: Calendar) =>
  useCase("routines.tick", function* (unit, { triggerId, atWorkSince }: TickSchedule) {
    const due = yield* unit.routines.lockDue(triggerId, unit.at);
    if (due === null) return null;
    const { trigger, routine, company } = due;
    yield* unit.routines.setNextFire(triggerId, nextTick(calendar, trigger, unit.at), unit.at);
    // It was calculated by a clock that has since been set back.
    if (trigger.nextFireAt > unit.at) return 0;
    // Ticks from a time when the trigger was inactive are dropped.
    if (routine.status !== "active" || companyStatus(company, unit.at).status !== "active") return 0;
    const restored = yield* unit.services.restored();
    const first = belongsToOriginal(restored, trigger.nextFireAt)
      ? nextTick(calendar, trigger, restored?.releasedAt ?? unit.at)
      : trigger.nextFireAt;
    if (isHeldAsRestored(restored) || first === null || first > unit.at) return 0;
    const interval = addSeconds(unit.at, -schedulerIntervalSec);
    const ticks = decideTicks({
      policy: routine.catchUpPolicy,
      first,
      at: unit.at,
      lateSince: atWorkSince !== undefined && atWorkSince < interval ? atWorkSince : interval,
      next: (after) => nextTick(calendar, trigger, after),
    });
    if (ticks.missed > 0) yield* recordMissed(unit, due, ticks);
    // After a clock is set back, ticks repeat.
    const fired = new Set(
      ticks.fire.length === 0 ? [] : yield* unit.routines.firedAmong(triggerId, ticks.fire),
    );
    const fresh = ticks.fire.filter((tick) => !fired.has(tick));
    let firedNow = 0;
    for (const tick of fresh) {
      const { status } = yield* fire(unit, {
        id: unit.newId<"routine_run">(),
        routine,
        trigger,
        source: "schedule",
        payload: null,
        idempotencyKey: null,
        replayKey: null,
        scheduledFor: tick,
      }).pipe(Effect.orDie);
      firedNow += 1;
      // The failure may have paused the routine.
      if (status === "failed" && (yield* Effect.orDie(unit.routines.lock(routine.id))).status !== "active")
        break;
    }
    return firedNow;
  });

const recordMissed = (unit: UnitOfWork, { trigger, routine }: DueTrigger, ticks: DueTicks) =>
  unit.log("routine.ticks_missed", routine, {
    triggerId: trigger.id,
    policy: routine.catchUpPolicy,
    missed: ticks.missed,
    fired: ticks.madeUpFor,
    dropped: ticks.dropped,
    isAtLeast: ticks.isAtLeast,
    from: trigger.nextFireAt,
  });
