import type * as Effect from "effect/Effect";
import type { Comment } from "../../core/issues/comments/comment.ts";

export interface CommentStore {
  insert(comment: Comment): Effect.Effect<void>;
}
