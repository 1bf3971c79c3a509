import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import { transactAs } from "../../../access/transact-as.ts";
import { type Comment, mayChangeComment } from "../../../model/issues/comments/comment.ts";
import type { TheComment } from "./edit-comment.ts";

/** Deletes the words of a comment, those it had before it was edited, and what the activity log shows of them. */
export const deleteComment = (transactor: Transactor, clock: Clock) => (command: TheComment) =>
  transactAs(transactor, command.by, function* (stores) {
    const { issueId, commentId, by } = command;
    const issue = yield* stores.issues.lock(issueId);
    const before = yield* Effect.flatMap(stores.comments.lock(commentId, issueId), (comment) =>
      Effect.fromResult(mayChangeComment(comment, by, command.isOwner)),
    );
    if (before.deletedAt !== null) return before;
    const at = clock.now();
    const after: Comment = { ...before, body: "", location: null, deletedAt: at, updatedAt: at };
    yield* stores.comments.save(after);
    yield* stores.comments.forgetWords(after);
    yield* logAction(stores, issue, by, at, "issue.comment_deleted", {
      identifier: issue.identifier,
      commentId,
    });
    return after;
  });
