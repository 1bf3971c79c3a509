import * as Effect from "effect/Effect";
import { type UnitOfWork, useCase } from "../../access/unit-of-work.ts";
import type { BoardCaller } from "../../model/access/caller.ts";
import type { Grant } from "../../model/approvals/grant.ts";
import type { GrantId } from "../../model/shared/ids.ts";

export interface RevokeGrant {
  readonly grantId: GrantId;
  readonly caller: BoardCaller;
}

/** Revokes a grant at once; its earlier decisions stay. Repeating it changes nothing. */
export const revokeGrant = useCase("approvals.revokeGrant", function* (unit, command: RevokeGrant) {
  const grant = yield* unit.grants.lock(command.grantId);
  if (grant.revokedAt !== null) return grant;
  return yield* endGrant(unit, grant, command.caller);
});

/** Revokes an existing grant. */
export const endGrant = Effect.fnUntraced(function* (unit: UnitOfWork, grant: Grant, caller: BoardCaller) {
  const revoked: Grant = { ...grant, revokedByUserId: caller.userId, revokedAt: unit.at };
  yield* unit.grants.save(revoked);
  yield* unit.log("grant.revoked", grant, { agentId: grant.agentId, permission: grant.permission });
  return revoked;
});
