import * as Effect from "effect/Effect";
import type { LiveRuns } from "../../ports/stores/run-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import { type StopReason, stoppedBecause } from "../model/runs/run.ts";
import type { Instant } from "../model/shared/instant.ts";
import { endRuns } from "./end-runs.ts";

/**
 * Ends queued runs at once, with their wakes, and requests running ones to stop. The first reason is kept. Notifies the
 * services.
 */
export const stopRuns = Effect.fnUntraced(function* (
  stores: Stores,
  which: LiveRuns,
  reason: StopReason,
  at: Instant,
) {
  const requested = yield* stores.runs.requestStop(which, reason, at);
  const queued = requested.filter(({ status }) => status === "queued");
  yield* endRuns(stores, queued, stoppedBecause(reason), at);
});
