import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import type { ActivityEntry } from "../model/activity/activity-entry.ts";
import { releasedByAct } from "../model/runs/quarantine.ts";

/**
 * Records an action in the activity log and releases the quarantined runs that it concerns, in the same transaction: readers
 * need no rule for what counts as released.
 */
export const recordAct = (
  { activity, runs }: Pick<Stores, "activity" | "runs">,
  entry: ActivityEntry,
): Effect.Effect<void> => {
  const released = releasedByAct(entry);
  return released.length === 0
    ? activity.append(entry)
    : Effect.andThen(activity.append(entry), runs.release(released, entry.at));
};
