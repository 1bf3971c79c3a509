import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import { mayWorkIn } from "../../model/access/person.ts";
import type { UserId } from "../../model/shared/ids.ts";
import { storeRelease } from "./release-issue.ts";

/**
 * Releases a person's open issues in the companies in which they can no longer work. Closed issues keep their assignee.
 * Runs after the change that takes the right away, in its transaction.
 */
export const unassignPerson = Effect.fnUntraced(function* (unit: UnitOfWork, userId: UserId) {
  const person = yield* unit.access.findPerson(userId);
  if (person === null) return;
  for (const issue of yield* unit.issues.lockOpenOf(userId)) {
    if (mayWorkIn(person, issue.companyId)) continue;
    yield* storeRelease(unit, issue);
  }
});
