import * as Effect from "effect/Effect";
import { type UnitOfWork, useCase } from "../../access/unit-of-work.ts";
import type { BoardCaller } from "../../model/access/caller.ts";
import { notTerminated } from "../../model/agents/named-agent.ts";
import type { Grant } from "../../model/approvals/grant.ts";

export interface MakeGrant extends Pick<Grant, "id" | "companyId" | "agentId" | "permission" | "classes"> {
  readonly caller: BoardCaller;
}

/** Lets an agent decide approvals that declare one of the classes. */
export const makeGrant = useCase("approvals.makeGrant", function* (unit, command: MakeGrant) {
  const agent = yield* unit.agents.findInCompany(command.agentId, command.companyId);
  yield* Effect.fromResult(notTerminated(agent, "agentId"));
  return yield* insertGrant(unit, command);
});

/** Stores a grant of an agent that may have it. */
export const insertGrant = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { id, companyId, caller, agentId, permission, classes }: MakeGrant,
) {
  const grant: Grant = {
    id,
    companyId,
    agentId,
    permission,
    classes: [...new Set(classes)],
    grantedByUserId: caller.userId,
    createdAt: unit.at,
    revokedByUserId: null,
    revokedAt: null,
  };
  yield* unit.grants.insert(grant);
  yield* unit.log("grant.created", { companyId, id }, { agentId, permission, classes: grant.classes });
  return grant;
});
