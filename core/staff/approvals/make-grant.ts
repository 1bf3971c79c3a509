import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Stores, Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import { actorOf, type BoardCaller } from "../../model/access/caller.ts";
import { notTerminated } from "../../model/agents/named-agent.ts";
import type { Grant } from "../../model/approvals/grant.ts";
import type { Instant } from "../../model/shared/instant.ts";

export interface MakeGrant extends Pick<Grant, "id" | "companyId" | "agentId" | "permission" | "classes"> {
  readonly caller: BoardCaller;
}

/** Lets an agent decide approvals that declare one of the classes. */
export const makeGrant = (transactor: Transactor, clock: Clock) => (command: MakeGrant) =>
  transact(transactor, function* (stores) {
    const agent = yield* stores.agents.findInCompany(command.agentId, command.companyId);
    yield* Effect.fromResult(notTerminated(agent, "agentId"));
    return yield* insertGrant(stores, command, clock.now());
  });

/** Stores a grant of an agent that may have it. */
export const insertGrant = Effect.fnUntraced(function* (
  stores: Stores,
  { id, companyId, caller, agentId, permission, classes }: MakeGrant,
  at: Instant,
) {
  const grant: Grant = {
    id,
    companyId,
    agentId,
    permission,
    classes: [...new Set(classes)],
    grantedByUserId: caller.userId,
    createdAt: at,
    revokedByUserId: null,
    revokedAt: null,
  };
  yield* stores.grants.insert(grant);
  yield* logAction(stores, { companyId, id }, actorOf(caller), at, "grant.created", {
    agentId,
    permission,
    classes: grant.classes,
  });
  return grant;
});
