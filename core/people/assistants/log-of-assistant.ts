import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import type { Assistant } from "../../model/access/assistant.ts";
import type { ActivityDetails } from "../../model/activity/activity-entry.ts";

type Action = "member.assistant_connected" | "member.assistant_disconnected";

/** Adds an entry to the activity of each company of the assistant's person. */
export const logOfAssistant = <Name extends Action>(
  unit: UnitOfWork,
  { userId }: Assistant,
  action: Name,
  details: ActivityDetails[Name],
) =>
  Effect.gen(function* () {
    const person = yield* unit.access.findPerson(userId);
    for (const companyId of person?.roles.keys() ?? [])
      yield* unit.log(action, { companyId, id: userId }, details);
  });
