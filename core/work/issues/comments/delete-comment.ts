import * as Effect from "effect/Effect";
import { useCase } from "../../../access/unit-of-work.ts";
import { type Comment, mayChangeComment } from "../../../model/issues/comments/comment.ts";
import type { TheComment } from "./edit-comment.ts";

/** Deletes the text of a comment, its earlier versions, and what the activity log shows of them. */
export const deleteComment = useCase("issues.deleteComment", function* (unit, command: TheComment) {
  const { issueId, commentId } = command;
  const issue = yield* unit.issues.lock(issueId);
  const before = yield* Effect.flatMap(unit.comments.lock(commentId, issueId), (comment) =>
    Effect.fromResult(mayChangeComment(comment, unit.by, command.isOwner)),
  );
  if (before.deletedAt !== null) return before;
  const after: Comment = { ...before, body: "", location: null, deletedAt: unit.at, updatedAt: unit.at };
  yield* unit.comments.save(after);
  yield* unit.comments.forgetText(after);
  yield* unit.log("issue.comment_deleted", issue, { identifier: issue.identifier, commentId });
  return after;
});
