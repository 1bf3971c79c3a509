import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import { actions, refusalOfRole } from "../../model/access/actions.ts";
import type { AgentCaller, BoardCaller } from "../../model/access/caller.ts";
import type { Agent } from "../../model/agents/agent.ts";
import type { Grant, grantablePermissions } from "../../model/approvals/grant.ts";
import { insertGrant } from "./make-grant.ts";
import { endGrant } from "./revoke-grant.ts";

/** The decisions to delegate to an agent, and the caller who delegates them. */
export interface WantedGrants {
  readonly grants: readonly {
    readonly permission: (typeof grantablePermissions)[number];
    readonly classes: readonly string[];
  }[];
  readonly caller: BoardCaller | AgentCaller;
}

const sameGrant = (one: Pick<Grant, "permission" | "classes">, other: typeof one): boolean =>
  one.permission === other.permission &&
  [...new Set(one.classes)].sort().join("\n") === [...new Set(other.classes)].sort().join("\n");

/**
 * Sets an agent's grants, for owners only: revokes those that are not wanted and creates those that are missing. The caller's
 * transaction has locked or inserted the agent.
 */
export const setGrants = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { id: agentId, companyId }: Agent,
  { grants, caller }: WantedGrants,
) {
  const refusal = refusalOfRole(actions.company.manageGrants, caller, companyId);
  if (refusal !== null) return yield* Effect.fail(refusal);
  // No agent has the role.
  const owner = caller as BoardCaller;
  const current = yield* unit.grants.heldBy(agentId);
  for (const grant of current)
    if (!grants.some((wanted) => sameGrant(wanted, grant))) yield* endGrant(unit, grant, owner);
  for (const [nth, wanted] of grants.entries())
    if (![...current, ...grants.slice(0, nth)].some((grant) => sameGrant(wanted, grant)))
      yield* insertGrant(unit, { ...wanted, id: unit.newId<"grant">(), companyId, agentId, caller: owner });
});
