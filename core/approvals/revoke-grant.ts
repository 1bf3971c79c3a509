import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { actorOf, type BoardCaller } from "../access/caller.ts";
import type { GrantId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { Grant } from "./grant.ts";

export interface RevokeGrant {
  readonly grantId: GrantId;
  readonly caller: BoardCaller;
}

/** Revokes a grant at once; its earlier decisions stay. Repeating it changes nothing. */
export const revokeGrant = (transactor: Transactor, clock: Clock) => (command: RevokeGrant) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const grant = yield* stores.grants.lock(command.grantId);
      if (grant.revokedAt !== null) return grant;
      return yield* endGrant(stores, grant, command.caller, clock.now());
    }),
  );

/** Revokes a grant that is held. */
export const endGrant = Effect.fnUntraced(function* (
  stores: Stores,
  grant: Grant,
  caller: BoardCaller,
  at: Instant,
) {
  const revoked: Grant = { ...grant, revokedByUserId: caller.userId, revokedAt: at };
  yield* stores.grants.save(revoked);
  yield* stores.activity.append({
    companyId: grant.companyId,
    by: actorOf(caller),
    at,
    action: "grant.revoked",
    entityId: grant.id,
    details: { agentId: grant.agentId, permission: grant.permission },
  });
  return revoked;
});
