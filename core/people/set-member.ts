import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import { UserNotFound } from "../model/access/board-user.ts";
import { type Actor, actingUser } from "../model/access/caller.ts";
import { mayBeGivenRole } from "../model/access/person.ts";
import type { Role } from "../model/access/roles.ts";
import type { CompanyId, UserId } from "../model/shared/ids.ts";
import { unassignPerson } from "../work/issues/unassign-person.ts";

/** Sets a role, of a person whom the caller may know of. A viewer can have no issues: their open ones are released. */
export const setMember =
  (transactor: Transactor, clock: Clock) =>
  (command: {
    readonly companyId: CompanyId;
    readonly userId: UserId;
    readonly role: Role;
    readonly by: Actor;
  }) =>
    transact(transactor, function* (stores) {
      const { companyId, userId, role, by } = command;
      const user = yield* stores.access.lockUser(userId);
      const actingId = actingUser(by);
      const [person, caller] = yield* Effect.all([
        stores.access.findPerson(userId),
        actingId === null ? Effect.succeed(null) : stores.access.findPerson(actingId),
      ]);
      if (person === null || !mayBeGivenRole(person, companyId, caller))
        return yield* Effect.fail(new UserNotFound());
      const at = clock.now();
      yield* stores.access.setRole(companyId, userId, role, at);
      yield* logAction(stores, { companyId, id: userId }, by, at, "member.set", { role });
      yield* unassignPerson(stores, userId, by, at);
      return { companyId, userId, name: user.name, role };
    });
