import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Stores, Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import { actorOf, type BoardCaller } from "../../model/access/caller.ts";
import type { Grant } from "../../model/approvals/grant.ts";
import type { GrantId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";

export interface RevokeGrant {
  readonly grantId: GrantId;
  readonly caller: BoardCaller;
}

/** Revokes a grant at once; its earlier decisions stay. Repeating it changes nothing. */
export const revokeGrant = (transactor: Transactor, clock: Clock) => (command: RevokeGrant) =>
  transact(transactor, function* (stores) {
    const grant = yield* stores.grants.lock(command.grantId);
    if (grant.revokedAt !== null) return grant;
    return yield* endGrant(stores, grant, command.caller, clock.now());
  });

/** Revokes a grant that is held. */
export const endGrant = Effect.fnUntraced(function* (
  stores: Stores,
  grant: Grant,
  caller: BoardCaller,
  at: Instant,
) {
  const revoked: Grant = { ...grant, revokedByUserId: caller.userId, revokedAt: at };
  yield* stores.grants.save(revoked);
  yield* logAction(stores, grant, actorOf(caller), at, "grant.revoked", {
    agentId: grant.agentId,
    permission: grant.permission,
  });
  return revoked;
});
