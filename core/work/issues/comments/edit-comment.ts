import * as Effect from "effect/Effect";
import { useCase } from "../../../access/unit-of-work.ts";
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

/** Replaces the text of a comment; the former one stays in its history. Wakes no agent. An equal text changes nothing. */
export const editComment = useCase("issues.editComment", function* (unit, command: EditComment) {
  const { issueId, commentId, body } = command;
  const issue = yield* unit.issues.lock(issueId);
  const before = yield* Effect.flatMap(unit.comments.lock(commentId, issueId), (comment) =>
    Effect.fromResult(mayChangeComment(comment, unit.by, command.isOwner)),
  );
  if (before.deletedAt !== null) yield* Effect.fail(new CommentDeleted());
  if (before.body === body) return before;
  const after: Comment = { ...before, body, editedAt: unit.at, updatedAt: unit.at };
  yield* unit.comments.saveRevision(unit.newId<"comment_revision">(), before, unit.at);
  yield* unit.comments.save(after);
  yield* unit.log("issue.comment_edited", issue, { identifier: issue.identifier, commentId });
  return after;
});
