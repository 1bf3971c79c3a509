import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { assignable } from "../model/agents/named-agent.ts";
import type { RoutineFields } from "../model/routines/routine.ts";
import { ReferenceNotFound } from "../model/shared/failure.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { requireOpenProject } from "../work/projects/require-open-project.ts";

type References = Pick<RoutineFields, "assigneeAgentId" | "projectId" | "goalId" | "parentIssueId">;

/** Refuses new references that do not exist, and the activation of a routine with a terminated assignee. */
export const newReferences = (before: RoutineFields, after: RoutineFields): Nullable<References> => {
  const ifChanged = <Field extends keyof References>(field: Field) =>
    before[field] === after[field] ? null : after[field];
  const isActivated = before.status !== "active" && after.status === "active";
  return {
    assigneeAgentId: isActivated ? after.assigneeAgentId : ifChanged("assigneeAgentId"),
    projectId: ifChanged("projectId"),
    goalId: ifChanged("goalId"),
    parentIssueId: ifChanged("parentIssueId"),
  };
};

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null };

/** Refuses references that do not exist or belong to another company. */
export const checkReferences = Effect.fnUntraced(function* (
  stores: Stores,
  companyId: CompanyId,
  fields: Nullable<References>,
) {
  const [assignee, missing] = yield* Effect.all(
    [
      fields.assigneeAgentId === null
        ? Effect.succeed(null)
        : stores.agents.findInCompany(fields.assigneeAgentId, companyId),
      stores.issues.missingReferences(companyId, { ...fields, parentId: fields.parentIssueId }),
    ],
    { concurrency: "unbounded" },
  );
  if (fields.assigneeAgentId !== null) yield* Effect.fromResult(assignable(assignee, "assigneeAgentId"));
  if (missing[0] !== undefined)
    yield* Effect.fail(ReferenceNotFound.at(missing[0] === "parentId" ? "parentIssueId" : missing[0]));
  yield* requireOpenProject(stores, fields.projectId);
});
