import * as Effect from "effect/Effect";
import { asSystem, type UnitOfWork } from "../access/unit-of-work.ts";
import type { Routine } from "../model/routines/routine.ts";
import { failuresBeforePause } from "../model/routines/routine-run.ts";
import { saveRevision } from "./save-revision.ts";

/** Pauses an active routine whose latest firings have all failed. */
export const pauseFailingRoutine = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  routine: Routine,
  reason: string,
) {
  if (routine.status !== "active") return;
  const latest = yield* unit.routines.latestFirings(routine.id, failuresBeforePause);
  if (latest.length < failuresBeforePause || latest.some((status) => status !== "failed")) return;
  const triggers = yield* unit.routines.triggers(routine.id);
  const system = asSystem(unit);
  yield* saveRevision(system, { ...routine, status: "paused" }, triggers, {
    summary: `Paused after ${failuresBeforePause} failures in a row`,
  });
  for (const { id } of triggers) yield* unit.routines.setNextFire(id, null, unit.at);
  yield* system.log("routine.paused_after_failures", routine, { failures: failuresBeforePause, reason });
});
