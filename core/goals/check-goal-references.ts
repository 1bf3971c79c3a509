import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { notTerminated } from "../agents/named-agent.ts";
import { closesCircle } from "../shared/circle.ts";
import { ReferenceNotFound, WouldFormACycle } from "../shared/failure.ts";
import type { CompanyId, GoalId } from "../shared/ids.ts";
import type { GoalFields } from "./goal.ts";

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
