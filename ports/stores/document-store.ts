import type * as Effect from "effect/Effect";
import type { Document, DocumentRevision } from "../../core/model/issues/documents/document.ts";
import type { CompanyId, DocumentId, DocumentRevisionId, IssueId } from "../../core/model/shared/ids.ts";

export interface DocumentStore {
  /** Waits for a concurrent lock and takes it; null where the issue has no document of that key. */
  lock(issueId: IssueId, key: string): Effect.Effect<Document | null>;
  /** Returns the latest revision and locks it until the end of the transaction. */
  holdLatest(
    issueId: IssueId,
    key: string,
    companyId: CompanyId,
  ): Effect.Effect<Pick<Document, "id" | "latestRevisionId" | "latestRevisionNumber"> | null>;
  revision(documentId: DocumentId, id: DocumentRevisionId): Effect.Effect<DocumentRevision | null>;
  insert(document: Document): Effect.Effect<void>;
  save(document: Document): Effect.Effect<void>;
  addRevision(revision: DocumentRevision): Effect.Effect<void>;
  /** Also deletes its revisions. */
  delete(id: DocumentId): Effect.Effect<void>;
}
