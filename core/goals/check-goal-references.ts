import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
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
  if (ownerAgentId && (yield* stores.agents.findInCompany(ownerAgentId, companyId)) === null)
    yield* Effect.fail(ReferenceNotFound.at("ownerAgentId"));
  if (!parentId) return;
  const parents = yield* stores.goals.lockParents(companyId);
  if (!parents.has(parentId)) yield* Effect.fail(ReferenceNotFound.at("parentId"));
  if (closesCircle(goalId, parentId, parents))
    yield* Effect.fail(new WouldFormACycle({ path: ["parentId"] }));
});
