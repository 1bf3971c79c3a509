import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import { transactAs } from "../../../access/transact-as.ts";
import type { Actor } from "../../../model/access/caller.ts";
import { type Comment, CommentDeleted, mayChangeComment } from "../../../model/issues/comments/comment.ts";
import type { CommentId, IssueId } from "../../../model/shared/ids.ts";

export interface TheComment {
  readonly issueId: IssueId;
  readonly commentId: CommentId;
  readonly by: Actor;
  /** Owners of the company change the comments of others, too. */
  readonly isOwner: boolean;
}

export interface EditComment extends TheComment {
  readonly body: string;
}

/** Replaces the text of a comment and keeps the former one. Wakes no agent. An equal text is no change. */
export const editComment = (transactor: Transactor, clock: Clock, ids: Ids) => (command: EditComment) =>
  transactAs(transactor, command.by, function* (stores) {
    const { issueId, commentId, by, body } = command;
    const issue = yield* stores.issues.lock(issueId);
    const before = yield* Effect.flatMap(stores.comments.lock(commentId, issueId), (comment) =>
      Effect.fromResult(mayChangeComment(comment, by, command.isOwner)),
    );
    if (before.deletedAt !== null) yield* Effect.fail(new CommentDeleted());
    if (before.body === body) return before;
    const at = clock.now();
    const after: Comment = { ...before, body, editedAt: at, updatedAt: at };
    yield* stores.comments.keepRevision(ids.next<"comment_revision">(), before, at);
    yield* stores.comments.save(after);
    yield* logAction(stores, issue, by, at, "issue.comment_edited", {
      identifier: issue.identifier,
      commentId,
    });
    return after;
  });
