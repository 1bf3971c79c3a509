import type { Sql } from "postgres";
import type { Document, DocumentRevision } from "../../../core/model/issues/documents/document.ts";
import type { CompanyId, DocumentId, DocumentRevisionId, IssueId } from "../../../core/model/shared/ids.ts";
import type { DocumentStore } from "../../../ports/stores/document-store.ts";
import { documentColumns, documentRevisionColumns } from "../columns.ts";
import type { Statements } from "../transaction.ts";

export const documentStore = (tx: Statements): DocumentStore => ({
  lock: (issueId, key) => tx.first(lockDocument(issueId, key)),
  holdLatest: (issueId, key, companyId) => tx.first(holdLatest(issueId, key, companyId)),
  revision: (documentId, id) => tx.first(getRevision(documentId, id)),
  insert: (document) => tx.write(insertDocument(document)),
  save: (document) => tx.write(saveDocument(document)),
  addRevision: (revision) => tx.write(insertRevision(revision)),
  delete: (id) => tx.write(deleteDocument(id)),
});

const lockDocument = (issueId: IssueId, key: string) => (sql: Sql) =>
  sql<Document[]>`
  select  ${documentColumns(sql)}
  from    documents
  where   issue_id = ${issueId}
  and     key = ${key}
  for     no key update
`;

const holdLatest = (issueId: IssueId, key: string, companyId: CompanyId) => (sql: Sql) =>
  sql<Pick<Document, "id" | "latestRevisionId" | "latestRevisionNumber">[]>`
  select  id, latest_revision_id, latest_revision_number
  from    documents
  where   issue_id = ${issueId}
  and     key = ${key}
  and     company_id = ${companyId}
  for     share
`;

const getRevision = (documentId: DocumentId, id: DocumentRevisionId) => (sql: Sql) =>
  sql<DocumentRevision[]>`
  select  ${documentRevisionColumns(sql)}
  from    document_revisions
  where   id = ${id}
  and     document_id = ${documentId}
`;

const insertDocument = (document: Document) => (sql: Sql) =>
  sql`
  insert into documents ${documentColumns.values(sql, document)}
`;

const savedColumns = documentColumns.without(`
  id, company_id, issue_id, key, created_by_agent_id, created_by_user_id, created_at
`);

const saveDocument = (document: Document) => (sql: Sql) =>
  sql`
  update  documents
  set     ${savedColumns.assign(sql, document)}
  where   id = ${document.id}
`;

const insertRevision = (revision: DocumentRevision) => (sql: Sql) =>
  sql`
  insert into document_revisions ${documentRevisionColumns.values(sql, revision)}
`;

const deleteDocument = (id: DocumentId) => (sql: Sql) =>
  sql`
  delete from documents
  where  id = ${id}
`;
