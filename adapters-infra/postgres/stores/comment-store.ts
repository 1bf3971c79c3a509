import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { Comment } from "../../../core/issues/comments/comment.ts";
import type { CommentId, IssueId } from "../../../core/shared/ids.ts";
import type { CommentStore } from "../../../ports/stores/comment-store.ts";
import type { Statements } from "../transaction.ts";

export const commentStore = (tx: Statements): CommentStore => ({
  insert: (comment) => tx.write(insertComment(comment)),
  isOf: (id, issueId) => tx.first(commentOf(id, issueId)).pipe(Effect.map((row) => row !== null)),
});

const insertComment = (comment: Comment) => (sql: Sql) =>
  sql`
  insert into comments (
    id, company_id, issue_id, body, author_agent_id, author_user_id, created_by_run_id, created_at, updated_at
  )
  values (
    ${comment.id}, ${comment.companyId}, ${comment.issueId}, ${comment.body}, ${comment.authorAgentId},
    ${comment.authorUserId}, ${comment.createdByRunId}, ${comment.createdAt}, ${comment.updatedAt}
  )
`;

const commentOf = (id: CommentId, issueId: IssueId) => (sql: Sql) =>
  sql<{ id: CommentId }[]>`
  select  id
  from    comments
  where   id = ${id}
  and     issue_id = ${issueId}
`;
