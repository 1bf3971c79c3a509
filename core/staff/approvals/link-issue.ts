import * as Effect from "effect/Effect";
import { requireRoom } from "../../access/require-room.ts";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { ReferenceNotFound } from "../../model/shared/failure.ts";
import type { ApprovalId, CompanyId, IssueId } from "../../model/shared/ids.ts";

export interface LinkIssue {
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  readonly approvalId: ApprovalId;
  readonly by: Actor;
}

/** Links an issue to an approval of its company. Repeating it changes nothing. */
export const linkIssue = useCase("approvals.linkIssue", function* (unit, command: LinkIssue) {
  const { issueId, companyId } = command;
  const [issue, approval] = yield* Effect.all(
    [
      unit.issues.find(issueId),
      unit.approvals.lock(command.approvalId).pipe(Effect.mapError(() => ReferenceNotFound.at("approvalId"))),
    ],
    { concurrency: "unbounded" },
  );
  if (approval.companyId !== companyId) yield* Effect.fail(ReferenceNotFound.at("approvalId"));
  const linked = yield* unit.approvals.linkedIssues(approval.id);
  if (linked.some(({ id }) => id === issueId)) return approval;
  yield* requireRoom(unit, "approvalIssues", companyId, approval.id);
  yield* unit.approvals.link(companyId, approval.id, [issueId], unit.at);
  yield* unit.log("approval.issue_linked", approval, { identifier: issue.identifier });
  return approval;
});
