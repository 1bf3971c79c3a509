import type * as Effect from "effect/Effect";
import type { Instant } from "../../core/shared/instant.ts";

/** How much there is to do, and how long it has waited. */
export interface Operations {
  readonly runsQueued: number;
  readonly runsRunning: number;
  readonly wakesPending: number;
  readonly oldestPendingWakeAt: Instant | null;
  /** Of those whose run could start now, but for a free slot: neither a live run, a provider nor a person is waited for. */
  readonly oldestStartableWakeAt: Instant | null;
  /** Since when nobody answers for the oldest running run whose service is gone; null where there is none. */
  readonly oldestLostRunAt: Instant | null;
  /** Queued runs that the loop breaker holds. */
  readonly runsHeld: number;
  /** Accounts that a provider has told to wait. */
  readonly accountsHeld: readonly { readonly adapterType: string; readonly notBefore: Instant }[];
  /** Queued runs by the type of their adapter, ordered by type. */
  readonly queuedByAdapter: readonly { readonly adapterType: string; readonly runs: number }[];
  readonly services: number;
}

export interface OperationsViews {
  /** The state of the engine room; fails only as a defect when the database does not answer. */
  now(at: Instant): Effect.Effect<Operations>;
}
