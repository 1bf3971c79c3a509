import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import { MemberNotFound } from "../model/access/board-user.ts";
import type { Actor } from "../model/access/caller.ts";
import type { CompanyId, UserId } from "../model/shared/ids.ts";
import { unassignPerson } from "../work/issues/unassign-person.ts";

export interface RemoveMember {
  readonly companyId: CompanyId;
  readonly userId: UserId;
  readonly by: Actor;
}

/** Removes a role. The person's open issues in the company are released. */
export const removeMember = useCase("access.removeMember", function* (unit, command: RemoveMember) {
  const { companyId, userId } = command;
  yield* unit.access.lockUser(userId).pipe(Effect.mapError(() => new MemberNotFound()));
  if (!(yield* unit.access.removeMember(companyId, userId))) yield* Effect.fail(new MemberNotFound());
  yield* unit.log("member.removed", { companyId, id: userId }, {});
  yield* unassignPerson(unit, userId);
  return { ok: true as const };
});
