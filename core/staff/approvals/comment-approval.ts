import { useCase } from "../../access/unit-of-work.ts";
import { type Actor, actingAgent, actingUser } from "../../model/access/caller.ts";
import { snippetOf } from "../../model/activity/activity-entry.ts";
import type { ApprovalComment } from "../../model/approvals/approval.ts";
import type { ApprovalCommentId, ApprovalId } from "../../model/shared/ids.ts";

export interface CommentApproval {
  readonly id: ApprovalCommentId;
  readonly approvalId: ApprovalId;
  readonly by: Actor;
  readonly body: string;
}

/** Adds a comment to an approval. It changes no status and wakes no agent. */
export const commentApproval = useCase("approvals.comment", function* (unit, command: CommentApproval) {
  const { body } = command;
  const approval = yield* unit.approvals.find(command.approvalId);
  const comment: ApprovalComment = {
    id: command.id,
    companyId: approval.companyId,
    approvalId: approval.id,
    body,
    authorAgentId: actingAgent(unit.by),
    authorUserId: actingUser(unit.by),
    createdAt: unit.at,
  };
  yield* unit.approvals.insertComment(comment);
  yield* unit.log("approval.comment_added", approval, {
    commentId: comment.id,
    bodySnippet: snippetOf(body),
  });
  return comment;
});
