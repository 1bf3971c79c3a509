import type * as Effect from "effect/Effect";
import type { Comment, CommentNotFound } from "../../core/model/issues/comments/comment.ts";
import type { CommentId, CommentRevisionId, IssueId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface CommentStore {
  /** Locks it, after waiting for its present lock. */
  lock(id: CommentId, issueId: IssueId): Effect.Effect<Comment, CommentNotFound>;
  insert(comment: Comment): Effect.Effect<void>;
  save(comment: Comment): Effect.Effect<void>;
  /** Keeps the present text before it is replaced. */
  saveRevision(id: CommentRevisionId, comment: Comment, replacedAt: Instant): Effect.Effect<void>;
  /** Deletes earlier texts, and the snippet in the activity log. */
  forgetText(comment: Comment): Effect.Effect<void>;
  /** Whether the issue has such a comment. */
  isOf(id: CommentId, issueId: IssueId): Effect.Effect<boolean>;
}
