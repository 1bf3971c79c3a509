import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import type { Actor } from "../../model/access/caller.ts";
import { mayWorkIn } from "../../model/access/person.ts";
import type { UserId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";
import { storeRelease } from "./release-issue.ts";

/**
 * Releases a person's open issues in the companies in which they can no longer work. Closed issues keep their assignee.
 * Runs after the change that takes the right away, in its transaction.
 */
export const unassignPerson = Effect.fnUntraced(function* (
  stores: Stores,
  userId: UserId,
  by: Actor,
  at: Instant,
) {
  const person = yield* stores.access.findPerson(userId);
  if (person === null) return;
  for (const issue of yield* stores.issues.lockOpenOf(userId)) {
    if (mayWorkIn(person, issue.companyId)) continue;
    yield* storeRelease(stores, issue, by, at);
  }
});
