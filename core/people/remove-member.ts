import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import { MemberNotFound } from "../model/access/board-user.ts";
import type { Actor } from "../model/access/caller.ts";
import type { CompanyId, UserId } from "../model/shared/ids.ts";
import { unassignPerson } from "../work/issues/unassign-person.ts";

/** Removes a role. The person's open issues in the company are released. */
export const removeMember =
  (transactor: Transactor, clock: Clock) =>
  (command: { readonly companyId: CompanyId; readonly userId: UserId; readonly by: Actor }) =>
    transact(transactor, function* (stores) {
      const { companyId, userId, by } = command;
      yield* stores.access.lockUser(userId).pipe(Effect.mapError(() => new MemberNotFound()));
      if (!(yield* stores.access.removeMember(companyId, userId))) yield* Effect.fail(new MemberNotFound());
      const at = clock.now();
      yield* logAction(stores, { companyId, id: userId }, by, at, "member.removed", {});
      yield* unassignPerson(stores, userId, by, at);
      return { ok: true as const };
    });
