import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { DocumentNotFound, DocumentRevisionNotFound } from "../../../core/model/issues/documents/document.ts";
import { InteractionNotFound } from "../../../core/model/issues/interactions/interaction.ts";
import type { InteractionStatus } from "../../../core/model/issues/interactions/interaction-status.ts";
import type { InteractionId, IssueId } from "../../../core/model/shared/ids.ts";
import type {
  DocumentRevisionView,
  DocumentView,
  InteractionView,
  ThreadViews,
} from "../../../ports/views/thread-views.ts";
import { documentColumns, documentRevisionColumns, interactionColumns } from "../columns.ts";
import { byId, byKey, byNumber, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { companyStatusOf } from "../facts.ts";
import { orFail } from "../rows.ts";

export const threadViews = (database: Database): ThreadViews => ({
  interactions: (issueId, statuses, page) =>
    readPage(
      database,
      { kind: "interactions", of: { issueId, statuses } },
      byId,
      page,
      interactions(issueId, statuses),
    ),
  interaction: (id, issueId) =>
    database.first(interaction(id, issueId)).pipe(orFail(() => new InteractionNotFound())),
  endedAmong: (ids) => Effect.map(database.read(endedInteractions(ids)), (rows) => rows.map(({ id }) => id)),
  documents: (issueId, page) =>
    readPage(database, { kind: "documents", of: { issueId } }, byKey, page, documents(issueId)),
  document: (issueId, key) =>
    database.first(document(issueId, key)).pipe(orFail(() => new DocumentNotFound())),
  revisions: (issueId, key, page) =>
    readPage(
      database,
      { kind: "document revisions", of: { issueId, key } },
      byNumber<DocumentRevisionView>(({ revisionNumber }) => revisionNumber),
      page,
      revisions(issueId, key),
    ),
  revision: (issueId, key, which) =>
    database.first(revision(issueId, key, which)).pipe(orFail(() => new DocumentRevisionNotFound())),
});

const shownInteractionColumns = interactionColumns.without("ends_by_comment, target_document_id");

const interactionView = (sql: Sql) => sql`
  ${shownInteractionColumns(sql)}, ${companyStatusOf(sql, sql`interactions`)}
`;

const interactions =
  (issueId: IssueId, statuses: readonly InteractionStatus[] | undefined) =>
  (after: readonly [id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<InteractionView[]>`
  select    ${interactionView(sql)}
  from      interactions
  where     issue_id = ${issueId}
  ${statuses === undefined ? sql`` : sql`and status = any(${statuses}::text[])`}
  ${after === null ? sql`` : sql`and id < ${after[0]}`}
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

const endedInteractions = (ids: readonly InteractionId[]) => (sql: Sql) =>
  sql<{ readonly id: InteractionId }[]>`
  select  id
  from    interactions
  where   id = any(${ids}::uuid[])
  and     status <> 'pending'
`;

const documents = (issueId: IssueId) => (after: readonly [key: string] | null, limit: number) => (sql: Sql) =>
  sql<DocumentView[]>`
  select    ${documentColumns(sql)}
  from      documents
  where     issue_id = ${issueId}
  ${after === null ? sql`` : sql`and key > ${after[0]}`}
  order by  key
  limit     ${limit}
`;

const document = (issueId: IssueId, key: string) => (sql: Sql) =>
  sql<DocumentView[]>`
  select  ${documentColumns(sql)}
  from    documents
  where   issue_id = ${issueId}
  and     key = ${key}
`;

/** Reads `documents d` and `document_revisions r`. */
const revisionView = (sql: Sql) => sql`
  ${documentRevisionColumns(sql, "r")}, d.issue_id, d.key
`;

/** Uses an index in order: there is at most one such document. */
const revisions =
  (issueId: IssueId, key: string) =>
  (before: readonly [number: number] | null, limit: number) =>
  (sql: Sql) =>
    sql<DocumentRevisionView[]>`
  select    ${revisionView(sql)}
  from      document_revisions r
  join      documents d on d.id = r.document_id
  where     r.document_id = (select id from documents where issue_id = ${issueId} and key = ${key})
  ${before === null ? sql`` : sql`and r.revision_number < ${before[0]}`}
  order by  r.revision_number desc
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
