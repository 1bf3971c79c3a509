import * as Result from "effect/Result";
import { type Actor, actingAgent, actingUser } from "../../access/caller.ts";
import { refusal } from "../../shared/failure.ts";
import type {
  AgentId,
  CompanyId,
  DocumentId,
  DocumentRevisionId,
  IssueId,
  UserId,
} from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";

/** The latest revision of a text of an issue under a stable key (`plan`, `design`, `notes`). */
export interface Document {
  readonly id: DocumentId;
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly key: string;
  readonly title: string | null;
  /** The format of the body; usually markdown. */
  readonly format: string;
  readonly body: string;
  readonly latestRevisionId: DocumentRevisionId;
  readonly latestRevisionNumber: number;
  readonly createdByAgentId: AgentId | null;
  readonly createdByUserId: UserId | null;
  readonly updatedByAgentId: AgentId | null;
  readonly updatedByUserId: UserId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** An immutable revision. */
export interface DocumentRevision {
  readonly id: DocumentRevisionId;
  readonly companyId: CompanyId;
  readonly documentId: DocumentId;
  /** 1, 2, 3, … */
  readonly revisionNumber: number;
  readonly title: string | null;
  readonly format: string;
  readonly body: string;
  readonly changeSummary: string | null;
  readonly restoredFromRevisionId: DocumentRevisionId | null;
  readonly createdByAgentId: AgentId | null;
  readonly createdByUserId: UserId | null;
  readonly createdAt: Instant;
}

/** A document as it was with this revision of it. */
export const documentAt = (document: Document, revision: DocumentRevision): Document => ({
  ...document,
  title: revision.title,
  format: revision.format,
  body: revision.body,
  latestRevisionId: revision.id,
  latestRevisionNumber: revision.revisionNumber,
  updatedByAgentId: revision.createdByAgentId,
  updatedByUserId: revision.createdByUserId,
  updatedAt: revision.createdAt,
});

export class DocumentNotFound extends refusal("document_not_found", "not_found", "Document not found.") {}

export class DocumentRevisionNotFound extends refusal(
  "document_revision_not_found",
  "not_found",
  "Revision not found.",
) {}

export class DocumentKeyInvalid extends refusal(
  "document_key_invalid",
  "invalid",
  "A document key must be 1 to 64 characters of a-z, 0-9, _ and -, starting with a letter or digit.",
) {}

export class DocumentRevisionStale extends refusal(
  "document_revision_stale",
  "conflict",
  "The document was changed in the meantime. Review the current revision and try again.",
) {}

/** Normalises a key: trims it and lowers its case. */
export const documentKey = (text: string): Result.Result<string, DocumentKeyInvalid> => {
  const key = text.trim().toLowerCase();
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(key) ? Result.succeed(key) : Result.fail(new DocumentKeyInvalid());
};

/** Refuses a change based on another than the current revision; null where `base` is current, or no document exists. */
export const refuseStaleBase = (
  current: Document | null,
  base: DocumentRevisionId | null,
): DocumentRevisionStale | null => {
  if ((current?.latestRevisionId ?? null) === base) return null;
  return current === null
    ? new DocumentRevisionStale(
        { currentRevisionId: null },
        "The document doesn't exist yet. Omit baseRevisionId to create it.",
      )
    : new DocumentRevisionStale(
        { currentRevisionId: current.latestRevisionId, currentRevisionNumber: current.latestRevisionNumber },
        base === null
          ? "The document already exists. Send its current revision as baseRevisionId to change it."
          : undefined,
      );
};

export type Writing = Pick<
  DocumentRevision,
  "title" | "format" | "body" | "changeSummary" | "restoredFromRevisionId"
>;

/** Whether the document is unchanged. A new change summary alone does not count as a change. */
export const saysAlready = (document: Document, { title, format, body }: Writing): boolean =>
  document.title === title && document.format === format && document.body === body;

/** Returns the document with its next revision, and that revision. */
export const revise = (
  before: Document | Pick<Document, "id" | "companyId" | "issueId" | "key">,
  writing: Writing,
  revisionId: DocumentRevisionId,
  by: Actor,
  at: Instant,
): { readonly document: Document; readonly revision: DocumentRevision } => {
  const agentId = actingAgent(by);
  const userId = actingUser(by);
  const known = "latestRevisionNumber" in before ? before : null;
  const revisionNumber = (known?.latestRevisionNumber ?? 0) + 1;
  const { title, format, body } = writing;
  return {
    document: {
      id: before.id,
      companyId: before.companyId,
      issueId: before.issueId,
      key: before.key,
      title,
      format,
      body,
      latestRevisionId: revisionId,
      latestRevisionNumber: revisionNumber,
      createdByAgentId: known === null ? agentId : known.createdByAgentId,
      createdByUserId: known === null ? userId : known.createdByUserId,
      updatedByAgentId: agentId,
      updatedByUserId: userId,
      createdAt: known?.createdAt ?? at,
      updatedAt: at,
    },
    revision: {
      ...writing,
      id: revisionId,
      companyId: before.companyId,
      documentId: before.id,
      revisionNumber,
      createdByAgentId: agentId,
      createdByUserId: userId,
      createdAt: at,
    },
  };
};

/** The key of the document with the issue's plan. */
export const planKey = "plan";

/** Returns a plan from the description (the format before documents existed): the first `<plan>…</plan>`. */
export const planInDescription = (description: string | null): string | null => {
  // Two searches: a single pattern would look for the closing tag from every opening one.
  const opening = /<plan>/i.exec(description ?? "");
  if (description === null || opening === null) return null;
  const rest = description.slice(opening.index + opening[0].length);
  const end = rest.search(/<\/plan>/i);
  const plan = end === -1 ? "" : rest.slice(0, end).trim();
  return plan === "" ? null : plan;
};
