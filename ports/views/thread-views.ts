import type * as Effect from "effect/Effect";
import type { CompanyStatus } from "../../core/model/companies/company.ts";
import type {
  Document,
  DocumentNotFound,
  DocumentRevision,
  DocumentRevisionNotFound,
} from "../../core/model/issues/documents/document.ts";
import type { Interaction, InteractionNotFound } from "../../core/model/issues/interactions/interaction.ts";
import type { InteractionStatus } from "../../core/model/issues/interactions/interaction-status.ts";
import type { DocumentRevisionId, InteractionId, IssueId } from "../../core/model/shared/ids.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

export type InteractionView = Omit<Interaction, "endsByComment" | "targetDocumentId"> & {
  /** For `interactionActions`; no caller sees it. */
  readonly companyStatus: CompanyStatus;
};

export type DocumentView = Document;
export type DocumentSummary = Omit<Document, "body">;

export interface DocumentRevisionView extends DocumentRevision {
  readonly issueId: IssueId;
  readonly key: string;
}

export interface ThreadViews {
  /** Newest first. */
  interactions(
    issueId: IssueId,
    statuses: readonly InteractionStatus[] | undefined,
    page: PageRequest,
  ): Effect.Effect<Page<InteractionView>, CursorInvalid>;
  /** null: of any issue. */
  /** Those of the interactions that are not pending. */
  endedAmong(ids: readonly InteractionId[]): Effect.Effect<readonly InteractionId[]>;
  interaction(
    id: InteractionId,
    issueId: IssueId | null,
  ): Effect.Effect<InteractionView, InteractionNotFound>;
  /** By key, with their texts. */
  documents(issueId: IssueId, page: PageRequest): Effect.Effect<Page<DocumentView>, CursorInvalid>;
  document(issueId: IssueId, key: string): Effect.Effect<DocumentView, DocumentNotFound>;
  /** Newest first. */
  revisions(
    issueId: IssueId,
    key: string,
    page: PageRequest,
  ): Effect.Effect<Page<DocumentRevisionView>, CursorInvalid>;
  /** By id or by number. */
  revision(
    issueId: IssueId,
    key: string,
    which: DocumentRevisionId | number,
  ): Effect.Effect<DocumentRevisionView, DocumentRevisionNotFound>;
}
