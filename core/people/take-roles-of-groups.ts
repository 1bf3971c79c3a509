import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { type ProvedIdentity, rolesOfGroups } from "../model/access/sign-in-provider.ts";
import type { UserId } from "../model/shared/ids.ts";
import { unassignPerson } from "../work/issues/unassign-person.ts";

/**
 * Gives a person the roles of their groups, and takes away those that this provider gave before. A role that people have
 * given stays as it is.
 */
export const takeRolesOfGroups = (unit: UnitOfWork, userId: UserId, { provider, groups }: ProvedIdentity) =>
  Effect.gen(function* () {
    if (provider.roles.length === 0) return;
    const given = rolesOfGroups(provider.roles, groups, yield* unit.access.companiesByPrefix());
    const before = new Map((yield* unit.access.memberships(userId)).map((each) => [each.companyId, each]));
    for (const [companyId, role] of given) {
      const had = before.get(companyId);
      if (had !== undefined && (had.provider !== provider.id || had.role === role)) continue;
      yield* unit.access.setRole(companyId, userId, role, unit.at, provider.id);
      yield* unit.log("member.set", { companyId, id: userId }, { role });
    }
    for (const { companyId, provider: from } of before.values()) {
      if (from !== provider.id || given.has(companyId)) continue;
      yield* unit.access.removeMember(companyId, userId);
      yield* unit.log("member.removed", { companyId, id: userId }, {});
    }
    yield* unassignPerson(unit, userId);
  });
