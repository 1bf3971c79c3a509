import type * as Effect from "effect/Effect";
import type { Instant } from "../../core/model/shared/instant.ts";

/**
 * Deletes what is older than it is kept. Each method deletes at most `limit`, the oldest first, returns their number, and
 * skips what other transactions have locked.
 */
export interface HistoryStore {
  /** The events, logs and wakes of ended runs. Wakes of a run that a hold stopped stay: they tell what to do after it. */
  deleteRunDetails(endedBefore: Instant, limit: number, at: Instant): Effect.Effect<number>;
  /** Wakes that ended without a run, except for a hold. */
  deleteLoneWakes(endedBefore: Instant, limit: number): Effect.Effect<number>;
  /** Payloads that callers sent with firings of routines; the firings stay, because each is recognised when it comes again. */
  deleteFiringPayloads(before: Instant, limit: number): Effect.Effect<number>;
  deleteActivity(before: Instant, limit: number): Effect.Effect<number>;
  deleteSecretAccess(before: Instant, limit: number): Effect.Effect<number>;
  deleteSessions(endedBefore: Instant, limit: number): Effect.Effect<number>;
  deleteSignIns(before: Instant, limit: number): Effect.Effect<number>;
  deleteSignInCodes(expiredBefore: Instant, limit: number): Effect.Effect<number>;
}
