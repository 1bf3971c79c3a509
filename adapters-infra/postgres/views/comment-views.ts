import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Comment, CommentNotFound } from "../../../core/model/issues/comments/comment.ts";
import type { CommentLocation } from "../../../core/model/issues/comments/comment-location.ts";
import type { CommentId, IssueId } from "../../../core/model/shared/ids.ts";
import type {
  CommentRevisionView,
  CommentView,
  IssueViews,
  WatcherView,
} from "../../../ports/views/issue-views.ts";
import { commentColumns } from "../columns.ts";
import { byId, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { folded } from "../folded.ts";
import { orFail } from "../rows.ts";

/** The views of an issue's comments and of the people who watch it. */
export const commentViews = (
  database: Database,
): Pick<IssueViews, "comments" | "lineComments" | "comment" | "commentRevisions" | "watchers"> => ({
  comments: (issueId, order, page) =>
    readPage(database, { kind: `comments.${order}`, of: { issueId } }, byId, page, (after, limit) =>
      (order === "asc" ? oldestComments : newestComments)(issueId, after?.[0] ?? null, limit),
    ),
  lineComments: (issueId, page) =>
    readPage(database, { kind: "line comments", of: { issueId } }, byId, page, (after, limit) =>
      newestOnLines(issueId, after?.[0] ?? null, limit),
    ),
  comment: (id) => database.first(getComment(id)).pipe(orFail(() => new CommentNotFound())),
  commentRevisions: (issueId, commentId, page) =>
    database.first(getComment(commentId)).pipe(
      Effect.filterOrFail(
        (comment) => comment?.issueId === issueId,
        () => new CommentNotFound(),
      ),
      Effect.andThen(
        readPage<CommentRevisionView, readonly [id: string]>(
          database,
          { kind: "comment revisions", of: { commentId } },
          byId,
          page,
          (after, limit) => revisionsOf(commentId, after?.[0] ?? null, limit),
        ),
      ),
    ),
  watchers: (id) => database.read(watchers(id)),
});

/** A `CommentView`, of `comments`. */
const commentView = (sql: Sql) => sql`
  ${commentColumns(sql)},
  coalesce(
    (select name from agents where id = comments.author_agent_id),
    (select name from board_users where id = comments.author_user_id),
    'Boardroom'
  ) as author_name
`;

const oldestComments = (issueId: IssueId, after: string | null, limit: number) => (sql: Sql) =>
  sql<CommentView[]>`
  select    ${commentView(sql)}
  from      comments
  where     issue_id = ${issueId}
  ${after === null ? sql`` : sql`and id > ${after}`}
  order by  id
  limit     ${limit}
`;

const newestComments = (issueId: IssueId, after: string | null, limit: number) => (sql: Sql) =>
  sql<CommentView[]>`
  select    ${commentView(sql)}
  from      comments
  where     issue_id = ${issueId}
  ${after === null ? sql`` : sql`and id < ${after}`}
  order by  id desc
  limit     ${limit}
`;

const newestOnLines = (issueId: IssueId, after: string | null, limit: number) => (sql: Sql) =>
  sql<(CommentView & { location: CommentLocation })[]>`
  select    ${commentView(sql)}
  from      comments
  where     issue_id = ${issueId}
  and       location is not null
  ${after === null ? sql`` : sql`and id < ${after}`}
  order by  id desc
  limit     ${limit}
`;

const getComment = (id: CommentId) => (sql: Sql) =>
  sql<Comment[]>`
  select  ${commentColumns(sql)}
  from    comments
  where   id = ${id}
`;

const revisionsOf = (commentId: CommentId, after: string | null, limit: number) => (sql: Sql) =>
  sql<CommentRevisionView[]>`
  select    id, comment_id, body, replaced_at
  from      comment_revisions
  where     comment_id = ${commentId}
  ${after === null ? sql`` : sql`and id < ${after}`}
  order by  id desc
  limit     ${limit}
`;

/** A lateral limit, because a join reads all board users. */
const watchers = (id: IssueId) => (sql: Sql) =>
  sql<WatcherView[]>`
  select      watcher.user_id, person.name, watcher.watching_since
  from        issue_watchers watcher
  cross join  lateral (
                select  name
                from    board_users
                where   id = watcher.user_id
                and     disabled_at is null
                and     (
                          is_admin
                          or exists (
                            select
                            from    memberships
                            where   user_id = watcher.user_id
                            and     company_id = watcher.company_id
                          )
                        )
                limit   1
              ) as person
  where       watcher.issue_id = ${id}
  order by    ${folded(sql, "person.name")}, watcher.user_id
`;
