import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactAs } from "../../access/transact-as.ts";
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
export const commentApproval = (transactor: Transactor, clock: Clock) => (command: CommentApproval) =>
  transactAs(transactor, command.by, function* (stores) {
    const { by, body } = command;
    const approval = yield* stores.approvals.find(command.approvalId);
    const at = clock.now();
    const comment: ApprovalComment = {
      id: command.id,
      companyId: approval.companyId,
      approvalId: approval.id,
      body,
      authorAgentId: actingAgent(by),
      authorUserId: actingUser(by),
      createdAt: at,
    };
    yield* stores.approvals.insertComment(comment);
    yield* logAction(stores, approval, by, at, "approval.comment_added", {
      commentId: comment.id,
      bodySnippet: snippetOf(body),
    });
    return comment;
  });
