import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { IssueNotFound } from "../../model/issues/issue.ts";
import type { CompanyId, IssueId } from "../../model/shared/ids.ts";
import { type UpdateIssue, updateIssue } from "./update-issue.ts";

export interface UpdateIssues
  extends Pick<
    UpdateIssue,
    | "by"
    | "status"
    | "priority"
    | "assigneeAgentId"
    | "assigneeUserId"
    | "projectId"
    | "goalId"
    | "parentId"
    | "addLabelIds"
    | "removeLabelIds"
    | "undoableSec"
  > {
  readonly companyId: CompanyId;
  readonly issueIds: readonly IssueId[];
}

/**
 * Makes the same change to several issues of a company, each in a transaction of its own: a refusal of one leaves the
 * others changed. Returns the result of each, in the requested order.
 */
export const updateIssues = (context: UseCaseContext) => {
  const update = updateIssue(context);
  return ({ companyId, issueIds, ...change }: UpdateIssues) =>
    Effect.gen(function* () {
      const existing = yield* context.transactor.transact(({ issues }) =>
        issues.existing(issueIds, companyId),
      );
      const own = new Set(existing.map(({ id }) => id));
      return yield* Effect.forEach([...new Set(issueIds)], (issueId) =>
        (own.has(issueId) ? update({ ...change, issueId }) : Effect.fail(new IssueNotFound())).pipe(
          Effect.result,
          Effect.map((result) =>
            Result.isSuccess(result)
              ? { issueId, issue: result.success.issue, refusal: null }
              : { issueId, issue: null, refusal: result.failure },
          ),
        ),
      );
    });
};
