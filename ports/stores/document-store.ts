import type * as Effect from "effect/Effect";
import type { Document, DocumentRevision } from "../../core/issues/documents/document.ts";
import type { CompanyId, DocumentId, DocumentRevisionId, IssueId } from "../../core/shared/ids.ts";

export interface DocumentStore {
  /** Locks it, after waiting for its present lock; null where the issue has none of that key. */
  lock(issueId: IssueId, key: string): Effect.Effect<Document | null>;
  /** Which revision is the latest; it stays so until the end of the transaction. */
  holdLatest(
    issueId: IssueId,
    key: string,
    companyId: CompanyId,
  ): Effect.Effect<Pick<Document, "id" | "latestRevisionId" | "latestRevisionNumber"> | null>;
  revision(documentId: DocumentId, id: DocumentRevisionId): Effect.Effect<DocumentRevision | null>;
  insert(document: Document): Effect.Effect<void>;
  save(document: Document): Effect.Effect<void>;
  addRevision(revision: DocumentRevision): Effect.Effect<void>;
  /** With its revisions. */
  delete(id: DocumentId): Effect.Effect<void>;
}
