import * as Effect from "effect/Effect";
import { z } from "zod";
import { RunIdRequired } from "../../../core/model/access/caller.ts";
import {
  DocumentKeyInvalid,
  DocumentNotFound,
  DocumentRevisionNotFound,
  DocumentRevisionStale,
  documentAt,
  documentKey,
} from "../../../core/model/issues/documents/document.ts";
import { TooManyLines } from "../../../core/model/issues/documents/unified-diff.ts";
import { IssueHeldByAnother, IssueNotFound, IssueNotYours } from "../../../core/model/issues/issue.ts";
import { TooManyRecords } from "../../../core/model/shared/bounds.ts";
import type { DocumentRevisionId } from "../../../core/model/shared/ids.ts";
import { acting, inCompanyOf, verified } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { textEndpoint } from "../endpoint/text-endpoint.ts";
import { Done, Name, reference, Text, upTo } from "../endpoint/values.ts";
import { DocumentRevisionShape, DocumentShape } from "./document-shapes.ts";

/** Normalises the spelling of a key. */
const known = (text: string) => Effect.fromResult(documentKey(text));

const Revision = z
  .union(
    [
      z
        .string()
        .regex(/^[1-9]\d{0,8}$/)
        .transform(Number),
      reference<DocumentRevisionId>(),
    ],
    "must be the number or the id of a revision",
  )
  .meta({ type: "string" });

export const documents = {
  list: pageEndpoint({
    path: "/api/issues/{issueId}/documents",
    summary: "List the documents of an issue",
    description: "Sorted by key, with their texts.",
    access: inCompanyOf("issue", "viewer"),
    limits: { default: 500, max: 1000 },
    row: DocumentShape,
    run: ({ views }, { issueId, limit, cursor }) => views.thread.documents(issueId, { limit, cursor }),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/issues/{issueId}/documents/{key}",
    summary: "Show a document",
    description:
      "Shows the latest revision with its text. Its latestRevisionId is the baseRevisionId of the next change.",
    access: inCompanyOf("issue", "viewer"),
    returns: DocumentShape,
    failures: [DocumentKeyInvalid, DocumentNotFound],
    run: ({ views }, { issueId, key }) =>
      known(key).pipe(Effect.flatMap((key) => views.thread.document(issueId, key))),
  }),
  put: endpoint({
    method: "PUT",
    path: "/api/issues/{issueId}/documents/{key}",
    summary: "Create or change a document",
    description:
      "Omit `baseRevisionId` to create it; to change it, give the revision that you edited. A 409 names the current revision.",
    access: acting("issue", "writeDocument"),
    body: z.strictObject({
      body: Text.describe("Markdown, unless format says otherwise."),
      title: Name.max(200).nullable().optional(),
      format: z
        .string()
        .max(50)
        .regex(/^[a-z0-9][a-z0-9+./_-]*$/, "must be a word such as markdown")
        .optional()
        .describe("Default markdown."),
      changeSummary: upTo(500).optional(),
      baseRevisionId: reference<DocumentRevisionId>().nullable().optional(),
    }),
    returns: DocumentShape,
    makesWhen: ({ baseRevisionId }) => baseRevisionId == null,
    failures: [
      DocumentKeyInvalid,
      DocumentRevisionStale,
      IssueHeldByAnother,
      IssueNotFound,
      IssueNotYours,
      RunIdRequired,
      TooManyRecords,
    ],
    run: ({ issues }, input, { by }) => issues.documents.put({ ...input, by }),
  }),
  revisions: pageEndpoint({
    path: "/api/issues/{issueId}/documents/{key}/revisions",
    summary: "List the revisions of a document",
    description: "Newest first.",
    access: inCompanyOf("issue", "viewer"),
    limits: { default: 100, max: 500 },
    row: DocumentRevisionShape,
    failures: [DocumentKeyInvalid, DocumentNotFound],
    run: ({ views }, { issueId, key, limit, cursor }) =>
      Effect.gen(function* () {
        const { key: stored } = yield* views.thread.document(issueId, yield* known(key));
        return yield* views.thread.revisions(issueId, stored, { limit, cursor });
      }),
  }),
  restore: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/documents/{key}/revisions/{documentRevisionId}/restore",
    summary: "Make an earlier revision of a document the latest again",
    description: "Adds it as a new revision; the history stays.",
    access: acting("issue", "writeDocument"),
    returns: DocumentShape,
    failures: [
      DocumentKeyInvalid,
      DocumentNotFound,
      DocumentRevisionNotFound,
      IssueHeldByAnother,
      IssueNotFound,
      IssueNotYours,
      RunIdRequired,
    ],
    creates: {
      again: ({ views }, id, _, { issueId, key: text }) =>
        Effect.gen(function* () {
          const key = yield* known(text);
          const revision = yield* views.thread.revision(issueId, key, id as DocumentRevisionId);
          return documentAt(yield* views.thread.document(issueId, key), revision);
        }),
      idOf: ({ latestRevisionId }) => latestRevisionId,
    },
    run: ({ issues }, { documentRevisionId, ...input }, { by, newId }) =>
      issues.documents.restore({
        ...input,
        id: newId<DocumentRevisionId>(),
        revisionId: documentRevisionId,
        by,
      }),
  }),
  diff: textEndpoint({
    path: "/api/issues/{issueId}/documents/{key}/diff",
    summary: "Show what changed between two revisions of a document",
    description: "Answers with a unified diff. Revisions are named by number or id; by default the last two.",
    access: inCompanyOf("issue", "viewer"),
    query: z.strictObject({ from: Revision.optional(), to: Revision.optional() }),
    failures: [DocumentKeyInvalid, DocumentNotFound, DocumentRevisionNotFound, TooManyLines],
    run: ({ issues }, input) => issues.documents.diff(input),
  }),
  delete: endpoint({
    method: "DELETE",
    path: "/api/issues/{issueId}/documents/{key}",
    summary: "Delete a document with its history",
    description: "For the board only; cannot be undone. Pending interactions about it expire.",
    access: verified(acting("issue", "deleteDocument")),
    returns: Done,
    failures: [DocumentKeyInvalid, DocumentNotFound, IssueNotFound],
    run: ({ issues }, input, { by }) =>
      issues.documents.delete({ ...input, by }).pipe(Effect.as({ ok: true as const })),
  }),
};
