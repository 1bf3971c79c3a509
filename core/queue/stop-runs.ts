import * as Effect from "effect/Effect";
import type { LiveRuns } from "../../ports/stores/run-store.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { type StopReason, stoppedBecause } from "../model/runs/run.ts";
import { endRuns } from "./end-runs.ts";

/**
 * Ends queued runs at once, with their wakes, and requests running ones to stop. The first reason stands. Notifies the
 * services.
 */
export const stopRuns = Effect.fnUntraced(function* (unit: UnitOfWork, which: LiveRuns, reason: StopReason) {
  const requested = yield* unit.runs.requestStop(which, reason, unit.at);
  const queued = requested.filter(({ status }) => status === "queued");
  yield* endRuns(unit, queued, stoppedBecause(reason));
});
