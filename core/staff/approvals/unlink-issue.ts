import * as Effect from "effect/Effect";
import { useCase } from "../../access/unit-of-work.ts";
import { ApprovalNotFound } from "../../model/approvals/approval.ts";
import type { LinkIssue } from "./link-issue.ts";

/** Removes the link. Repeating it changes nothing. */
export const unlinkIssue = useCase("approvals.unlinkIssue", function* (unit, command: LinkIssue) {
  const { issueId, companyId } = command;
  const [issue, approval] = yield* Effect.all(
    [unit.issues.find(issueId), unit.approvals.lock(command.approvalId)],
    { concurrency: "unbounded" },
  );
  if (approval.companyId !== companyId) yield* Effect.fail(new ApprovalNotFound());
  if (yield* unit.approvals.unlink(approval.id, issueId))
    yield* unit.log("approval.issue_unlinked", approval, { identifier: issue.identifier });
  return { ok: true as const };
});
