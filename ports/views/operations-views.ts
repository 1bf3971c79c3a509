import type * as Effect from "effect/Effect";
import type { Instant } from "../../core/shared/instant.ts";

export interface Operations {
  readonly runsQueued: number;
  readonly runsRunning: number;
  readonly wakesPending: number;
  readonly oldestPendingWakeAt: Instant | null;
  readonly services: number;
}

export interface OperationsViews {
  /** The state of the engine room; fails only as a defect when the database does not answer. */
  now(at: Instant): Effect.Effect<Operations>;
}
