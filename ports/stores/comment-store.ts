import type * as Effect from "effect/Effect";
import type { Comment } from "../../core/issues/comments/comment.ts";
import type { CommentId, IssueId } from "../../core/shared/ids.ts";

export interface CommentStore {
  insert(comment: Comment): Effect.Effect<void>;
  /** Whether the issue has such a comment. */
  isOf(id: CommentId, issueId: IssueId): Effect.Effect<boolean>;
}
