import * as Effect from "effect/Effect";
import type { Ids } from "../../ports/ids.ts";
import type { Stores } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { bySystem } from "../model/access/caller.ts";
import type { Routine } from "../model/routines/routine.ts";
import { failuresBeforePause } from "../model/routines/routine-run.ts";
import type { Instant } from "../model/shared/instant.ts";
import { keepRevision } from "./keep-revision.ts";

/** Pauses an active routine whose latest firings have all failed. */
export const pauseFailingRoutine = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  routine: Routine,
  reason: string,
  at: Instant,
) {
  if (routine.status !== "active") return;
  const latest = yield* stores.routines.latestFirings(routine.id, failuresBeforePause);
  if (latest.length < failuresBeforePause || latest.some((status) => status !== "failed")) return;
  const triggers = yield* stores.routines.triggers(routine.id);
  yield* keepRevision(stores, ids, { ...routine, status: "paused" }, triggers, {
    summary: `Paused after ${failuresBeforePause} failures in a row`,
    by: bySystem,
    at,
  });
  for (const { id } of triggers) yield* stores.routines.setNextFire(id, null, at);
  yield* logAction(stores, routine, bySystem, at, "routine.paused_after_failures", {
    failures: failuresBeforePause,
    reason,
  });
});
