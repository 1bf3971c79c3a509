import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { AgentNotAssignable } from "../issues/assignee.ts";
import { ReferenceNotFound } from "../shared/failure.ts";
import type { CompanyId } from "../shared/ids.ts";
import type { RoutineFields } from "./routine.ts";

/** Refuses what a routine refers to and is not there, or not of the company. */
export const checkReferences = Effect.fnUntraced(function* (
  stores: Stores,
  companyId: CompanyId,
  fields: Pick<RoutineFields, "assigneeAgentId" | "projectId" | "goalId" | "parentIssueId">,
) {
  const [assignee, missing] = yield* Effect.all(
    [
      stores.agents.findInCompany(fields.assigneeAgentId, companyId),
      stores.issues.missingReferences(companyId, { ...fields, parentId: fields.parentIssueId }),
    ],
    { concurrency: "unbounded" },
  );
  if (assignee === null) return yield* Effect.fail(ReferenceNotFound.at("assigneeAgentId"));
  if (assignee.standing === "pending_approval") yield* Effect.fail(new AgentNotAssignable());
  if (missing[0] !== undefined)
    yield* Effect.fail(ReferenceNotFound.at(missing[0] === "parentId" ? "parentIssueId" : missing[0]));
});
