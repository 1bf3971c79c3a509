import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { notTerminated } from "../../model/agents/named-agent.ts";
import type { GoalFields } from "../../model/goals/goal.ts";
import { closesCircle } from "../../model/shared/circle.ts";
import { ReferenceNotFound, WouldFormACycle } from "../../model/shared/failure.ts";
import type { CompanyId, GoalId } from "../../model/shared/ids.ts";

export const checkGoalReferences = Effect.fnUntraced(function* (
  stores: Stores,
  companyId: CompanyId,
  goalId: GoalId,
  { parentId, ownerAgentId }: GoalFields,
) {
  if (ownerAgentId) {
    const owner = yield* stores.agents.findInCompany(ownerAgentId, companyId);
    yield* Effect.fromResult(notTerminated(owner, "ownerAgentId"));
  }
  if (!parentId) return;
  const parents = yield* stores.goals.lockParents(companyId);
  if (!parents.has(parentId)) yield* Effect.fail(ReferenceNotFound.at("parentId"));
  if (closesCircle(goalId, parentId, parents))
    yield* Effect.fail(new WouldFormACycle({ path: ["parentId"] }));
});
