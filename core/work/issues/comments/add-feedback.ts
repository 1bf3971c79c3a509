import * as Effect from "effect/Effect";
import { asSystem, type UnitOfWork } from "../../../access/unit-of-work.ts";
import { snippetOf } from "../../../model/activity/activity-entry.ts";
import { newComment } from "../../../model/issues/comments/comment.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import { isClosed } from "../../../model/issues/issue-status.ts";
import type { CommentId } from "../../../model/shared/ids.ts";
import { IssueWakes } from "../../../queue/issue-wakes.ts";

export interface Feedback {
  /** Default: a new one. */
  readonly id?: CommentId;
  readonly issue: Issue;
  /** Markdown. Names in it are not mentions: it may quote text from elsewhere. */
  readonly body: string;
  readonly wakesAgent: boolean;
}

/** Adds a comment by the service to an issue: the results of checks and reviews of its work. */
export const addFeedback = Effect.fnUntraced(function* (
  asked: UnitOfWork,
  { id, issue, body, wakesAgent }: Feedback,
) {
  const unit = asSystem(asked);
  const { by, at } = unit;
  const { companyId, id: issueId, identifier, assigneeAgentId } = issue;
  const comment = newComment(issue, { id: id ?? unit.newId<"comment">(), body }, by, at);
  yield* unit.comments.insert(comment);
  yield* unit.issues.save({ ...issue, lastActivityAt: at });
  // Its agent or person decides now: an earlier request of a run is not repeated.
  yield* unit.gates.awaitVerdict(issueId, null);
  yield* unit.gates.dropDoneRequest(issueId);
  yield* unit.log("issue.comment_added", issue, {
    identifier,
    commentId: comment.id,
    bodySnippet: snippetOf(body),
  });
  if (!wakesAgent || assigneeAgentId === null || isClosed(issue.status)) return;
  const wakes = new IssueWakes(companyId);
  wakes.add(assigneeAgentId, issueId, "issue_feedback", { commentId: comment.id });
  yield* wakes.send(unit);
});
