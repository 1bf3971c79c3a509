import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Comment, CommentNotFound } from "../../../core/model/issues/comments/comment.ts";
import type { CommentId, CommentRevisionId, IssueId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { CommentStore } from "../../../ports/stores/comment-store.ts";
import { commentColumns } from "../columns.ts";
import { json, orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const commentStore = (tx: Statements): CommentStore => ({
  lock: (id, issueId) => tx.first(lockComment(id, issueId)).pipe(orFail(() => new CommentNotFound())),
  insert: (comment) => tx.write(insertComment(comment)),
  save: (comment) => tx.write(saveComment(comment)),
  saveRevision: (id, comment, replacedAt) => tx.write(saveRevision(id, comment, replacedAt)),
  forgetText: (comment) =>
    tx.write(deleteRevisions(comment.id)).pipe(Effect.andThen(tx.write(emptySnippet(comment)))),
  isOf: (id, issueId) => tx.first(commentOf(id, issueId)).pipe(Effect.map((row) => row !== null)),
});

const lockComment = (id: CommentId, issueId: IssueId) => (sql: Sql) =>
  sql<Comment[]>`
  select  ${commentColumns(sql)}
  from    comments
  where   id = ${id}
  and     issue_id = ${issueId}
  for     no key update
`;

const saveComment = (comment: Comment) => (sql: Sql) =>
  sql`
  update  comments
  set     body       = ${comment.body},
          location   = ${comment.location === null ? null : json(sql, comment.location)},
          edited_at  = ${comment.editedAt},
          deleted_at = ${comment.deletedAt},
          updated_at = ${comment.updatedAt}
  where   id = ${comment.id}
`;

const saveRevision = (id: CommentRevisionId, comment: Comment, replacedAt: Instant) => (sql: Sql) =>
  sql`
  insert into comment_revisions (id, comment_id, body, replaced_at)
  values (${id}, ${comment.id}, ${comment.body}, ${replacedAt})
`;

const deleteRevisions = (id: CommentId) => (sql: Sql) =>
  sql`
  delete from comment_revisions
  where  comment_id = ${id}
`;

const emptySnippet =
  ({ id, issueId }: Comment) =>
  (sql: Sql) =>
    sql`
  update  activity
  set     details = details || '{"bodySnippet": ""}'
  where   entity_id = ${issueId}
  and     action = 'issue.comment_added'
  and     details ->> 'commentId' = ${id}
`;

const insertComment = (comment: Comment) => (sql: Sql) =>
  sql`
  insert into comments ${commentColumns.values(sql, comment)}
`;

const commentOf = (id: CommentId, issueId: IssueId) => (sql: Sql) =>
  sql<{ id: CommentId }[]>`
  select  id
  from    comments
  where   id = ${id}
  and     issue_id = ${issueId}
`;
