import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { DocumentNotFound, DocumentRevisionNotFound } from "../../../core/issues/documents/document.ts";
import { InteractionNotFound } from "../../../core/issues/interactions/interaction.ts";
import type { InteractionStatus } from "../../../core/issues/interactions/interaction-status.ts";
import type { InteractionId, IssueId } from "../../../core/shared/ids.ts";
import { CursorInvalid } from "../../../ports/views/page.ts";
import type {
  DocumentRevisionView,
  DocumentView,
  InteractionView,
  ThreadViews,
} from "../../../ports/views/thread-views.ts";
import { documentColumns } from "../columns.ts";
import { idCursor, pageOf } from "../cursor.ts";
import type { Database } from "../database.ts";
import { orFail } from "../rows.ts";

export const threadViews = (database: Database): ThreadViews => ({
  interactions: (issueId, statuses, { limit, cursor }) => {
    const after = idCursor("interactions", cursor);
    return after instanceof CursorInvalid
      ? Effect.fail(after)
      : database
          .read(interactions(issueId, statuses, after?.id ?? null, limit + 1))
          .pipe(Effect.map((rows) => pageOf(rows, limit, "interactions", ({ id }) => [id])));
  },
  interaction: (id, issueId) =>
    database.first(interaction(id, issueId)).pipe(orFail(() => new InteractionNotFound())),
  documents: (issueId) => database.read(documents(issueId)),
  document: (issueId, key) =>
    database.first(document(issueId, key)).pipe(orFail(() => new DocumentNotFound())),
  revisions: (issueId, key, { limit, cursor }) => {
    const after = idCursor("revisions", cursor);
    return after instanceof CursorInvalid
      ? Effect.fail(after)
      : database
          .read(revisions(issueId, key, after?.id ?? null, limit + 1))
          .pipe(Effect.map((rows) => pageOf(rows, limit, "revisions", ({ id }) => [id])));
  },
  revision: (issueId, key, which) =>
    database.first(revision(issueId, key, which)).pipe(orFail(() => new DocumentRevisionNotFound())),
});

const interactionView = (sql: Sql) => sql`
  id, company_id, issue_id, kind, status, continuation_policy, idempotency_key, title, summary, payload, result,
  source_run_id, created_by_agent_id, created_by_user_id, resolved_by_agent_id, resolved_by_user_id, resolved_at,
  created_at, updated_at
`;

const interactions =
  (
    issueId: IssueId,
    statuses: readonly InteractionStatus[] | undefined,
    after: string | null,
    limit: number,
  ) =>
  (sql: Sql) =>
    sql<InteractionView[]>`
  select    ${interactionView(sql)}
  from      interactions
  where     issue_id = ${issueId}
  ${statuses === undefined ? sql`` : sql`and status = any(${statuses}::text[])`}
  ${after === null ? sql`` : sql`and id < ${after}`}
  order by  id desc
  limit     ${limit}
`;

const interaction = (id: InteractionId, issueId: IssueId | null) => (sql: Sql) =>
  sql<InteractionView[]>`
  select  ${interactionView(sql)}
  from    interactions
  where   id = ${id}
  ${issueId === null ? sql`` : sql`and issue_id = ${issueId}`}
`;

const documents = (issueId: IssueId) => (sql: Sql) =>
  sql<DocumentView[]>`
  select    ${documentColumns(sql)}
  from      documents
  where     issue_id = ${issueId}
  order by  key
`;

const document = (issueId: IssueId, key: string) => (sql: Sql) =>
  sql<DocumentView[]>`
  select  ${documentColumns(sql)}
  from    documents
  where   issue_id = ${issueId}
  and     key = ${key}
`;

/** Of `documents d` and `document_revisions r`. */
const revisionView = (sql: Sql) => sql`
  r.id, r.company_id, r.document_id, d.issue_id, d.key, r.revision_number, r.title, r.format, r.body,
  r.change_summary, r.restored_from_revision_id, r.created_by_agent_id, r.created_by_user_id, r.created_at
`;

const revisions = (issueId: IssueId, key: string, after: string | null, limit: number) => (sql: Sql) =>
  sql<DocumentRevisionView[]>`
  select    ${revisionView(sql)}
  from      documents d
  join      document_revisions r on r.document_id = d.id
  where     d.issue_id = ${issueId}
  and       d.key = ${key}
  ${after === null ? sql`` : sql`and r.id < ${after}`}
  order by  r.id desc
  limit     ${limit}
`;

const revision = (issueId: IssueId, key: string, which: string | number) => (sql: Sql) =>
  sql<DocumentRevisionView[]>`
  select  ${revisionView(sql)}
  from    documents d
  join    document_revisions r on r.document_id = d.id
  where   d.issue_id = ${issueId}
  and     d.key = ${key}
  and     ${typeof which === "number" ? sql`r.revision_number = ${which}` : sql`r.id = ${which}`}
`;
