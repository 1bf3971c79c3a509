import type * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { type ActivityAction, entryAbout } from "../model/activity/activity-entry.ts";

/** Notes an action on a record in the activity log. */
export const logAction = <Action extends ActivityAction>(
  { activity }: Pick<Stores, "activity">,
  ...about: Parameters<typeof entryAbout<Action>>
): Effect.Effect<void> => activity.append(entryAbout(...about));
