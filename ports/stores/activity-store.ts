import type * as Effect from "effect/Effect";
import type { ActivityEntry } from "../../core/activity/activity-entry.ts";
import type { Instant } from "../../core/shared/instant.ts";

export interface ActivityStore {
  append(entry: ActivityEntry): Effect.Effect<void>;
  /** Like `append`, in this order. */
  appendAll(entries: readonly ActivityEntry[]): Effect.Effect<void>;
  /** Deletes at most `limit` entries from before then, the oldest first. Returns their number; skips locked ones. */
  deleteBefore(before: Instant, limit: number): Effect.Effect<number>;
}
