import * as Effect from "effect/Effect";
import type { Ids } from "../../../../ports/ids.ts";
import type { Stores } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import { bySystem } from "../../../model/access/caller.ts";
import { snippetOf } from "../../../model/activity/activity-entry.ts";
import { newComment } from "../../../model/issues/comments/comment.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import { isClosed } from "../../../model/issues/issue-status.ts";
import type { Instant } from "../../../model/shared/instant.ts";
import { IssueWakes } from "../../../queue/issue-wakes.ts";

export interface Feedback {
  readonly issue: Issue;
  /** Markdown. Names in it mention nobody: it may hold words from elsewhere. */
  readonly body: string;
  readonly wakesAgent: boolean;
  readonly at: Instant;
}

/** Comments on an issue in the name of the service: what checks and reviewers of its work say. */
export const addFeedback = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  { issue, body, wakesAgent, at }: Feedback,
) {
  const { companyId, id: issueId, identifier, assigneeAgentId } = issue;
  const comment = newComment(issue, { id: ids.next<"comment">(), body }, bySystem, at);
  yield* stores.comments.insert(comment);
  yield* stores.issues.save({ ...issue, lastActivityAt: at });
  // The agent or the person that it is for decides now: an earlier request of a run is not repeated.
  yield* stores.gates.awaitVerdict(issueId, null);
  yield* stores.gates.dropDoneRequest(issueId);
  yield* logAction(stores, { companyId, id: issueId }, bySystem, at, "issue.comment_added", {
    identifier,
    commentId: comment.id,
    bodySnippet: snippetOf(body),
  });
  if (!wakesAgent || assigneeAgentId === null || isClosed(issue.status)) return;
  const wakes = new IssueWakes(companyId, bySystem, at);
  wakes.add(assigneeAgentId, issueId, "issue_feedback", { commentId: comment.id });
  yield* wakes.send(stores, ids);
});
