import type * as Effect from "effect/Effect";
import type { ActivityEntry } from "../../core/model/activity/activity-entry.ts";

export interface ActivityStore {
  append(entry: ActivityEntry): Effect.Effect<void>;
  /** Like `append`, in this order. */
  appendAll(entries: readonly ActivityEntry[]): Effect.Effect<void>;
}
