import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import { UserNotFound } from "../model/access/board-user.ts";
import { type Actor, actingUser } from "../model/access/caller.ts";
import { mayBeGivenRole } from "../model/access/person.ts";
import type { Role } from "../model/access/roles.ts";
import type { CompanyId, UserId } from "../model/shared/ids.ts";
import { unassignPerson } from "../work/issues/unassign-person.ts";

export interface SetMember {
  readonly companyId: CompanyId;
  readonly userId: UserId;
  readonly role: Role;
  readonly by: Actor;
}

/** Sets a role, of a person whom the caller may know of. A viewer can have no issues: their open ones are released. */
export const setMember = useCase("access.setMember", function* (unit, command: SetMember) {
  const { companyId, userId, role } = command;
  const user = yield* unit.access.lockUser(userId);
  const actingId = actingUser(unit.by);
  const [person, caller] = yield* Effect.all([
    unit.access.findPerson(userId),
    actingId === null ? Effect.succeed(null) : unit.access.findPerson(actingId),
  ]);
  if (person === null || !mayBeGivenRole(person, companyId, caller))
    return yield* Effect.fail(new UserNotFound());
  yield* unit.access.setRole(companyId, userId, role, unit.at);
  yield* unit.log("member.set", { companyId, id: userId }, { role });
  yield* unassignPerson(unit, userId);
  return { companyId, userId, name: user.name, role };
});
