import * as Effect from "effect/Effect";
import { z } from "zod";
import { RunIdRequired } from "../../../core/model/access/caller.ts";
import {
  type Asset,
  AssetNotFound,
  AttachmentNotFound,
  FileEmpty,
  isShownInline,
  LogoTypeUnsupported,
  UnsafeSvg,
} from "../../../core/model/assets/asset.ts";
import { IssueHeldByAnother, IssueNotFound, IssueNotYours } from "../../../core/model/issues/issue.ts";
import { ReferenceNotFound } from "../../../core/model/shared/failure.ts";
import type { AssetId, AttachmentId, CommentId, IssueId } from "../../../core/model/shared/ids.ts";
import { BlobsUnavailable } from "../../../ports/blob-store.ts";
import type { AttachmentView } from "../../../ports/views/file-views.ts";
import { shownAs } from "../../../ports/views/page.ts";
import { acting, inCompanyOf, verified } from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { fileEndpoint, UploadedFile } from "../endpoint/file-endpoint.ts";
import type { FileAnswer } from "../endpoint/files.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { Done, Flag, reference } from "../endpoint/values.ts";
import { AssetShape, AttachmentShape } from "./attachment-shapes.ts";

const presentAttachment = ({ blobKey, ...attachment }: AttachmentView) => {
  const path = `/api/attachments/${attachment.id}/content`;
  return {
    ...attachment,
    objectKey: blobKey,
    updatedAt: attachment.createdAt,
    contentPath: path,
    openPath: path,
    downloadPath: `${path}?download=true`,
  };
};

const presentAsset = ({ id, purpose: _, blobKey, ...asset }: Asset) => ({
  ...asset,
  assetId: id,
  objectKey: blobKey,
  updatedAt: asset.createdAt,
  contentPath: `/api/assets/${id}/content`,
});

const content = (app: App, file: Asset | AttachmentView, download = false): FileAnswer => ({
  contentType: file.contentType,
  filename: file.originalFilename,
  byteSize: file.byteSize,
  sha256: file.sha256,
  isShown: isShownInline(file.contentType) && !download,
  open: (range) => app.assets.open(file, range),
});

export const attachments = {
  list: pageEndpoint({
    path: "/api/issues/{issueId}/attachments",
    summary: "List the files of an issue",
    description: "Newest first.",
    access: inCompanyOf("issue", "viewer"),
    limits: { default: 100, max: 500 },
    row: AttachmentShape,
    run: ({ views }, { issueId, limit, cursor }) =>
      views.files.attachments(issueId, { limit, cursor }).pipe(Effect.map(shownAs(presentAttachment))),
  }),
  add: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/issues/{issueId}/attachments",
    summary: "Attach a file to an issue",
    description:
      "Takes multipart/form-data with one file named `file` of any type, up to 10 MiB unless configured otherwise.",
    access: acting("issue", "attach", "company"),
    body: z.strictObject({
      file: UploadedFile,
      issueCommentId: reference<CommentId>().optional().describe("The comment it belongs to."),
    }),
    returns: AttachmentShape,
    status: 201,
    failures: [
      AttachmentNotFound,
      FileEmpty,
      IssueHeldByAnother,
      IssueNotFound,
      IssueNotYours,
      ReferenceNotFound,
      RunIdRequired,
    ],
    creates: {
      again: ({ views }, id) =>
        views.files.attachment(id as AttachmentId).pipe(Effect.map(presentAttachment)),
    },
    run: (app, { issueId: reference, companyId, ...input }, { by, newId }) =>
      Effect.gen(function* () {
        const found = yield* app.views.access.locate("issue", reference, companyId);
        if (found === null || found.companyId !== companyId) return yield* Effect.fail(new IssueNotFound());
        const id = newId<AttachmentId>();
        yield* app.issues.attachments.add({ ...input, id, issueId: found.id as IssueId, by });
        return presentAttachment(yield* app.views.files.attachment(id));
      }),
  }),
  content: fileEndpoint({
    path: "/api/attachments/{attachmentId}/content",
    summary: "Download an attached file",
    description: "Supports Range. Browsers show images, PDF and plain text, and save everything else.",
    access: inCompanyOf("attachment", "viewer"),
    query: z.strictObject({ download: Flag.optional().describe("Save it, whatever its type.") }),
    failures: [AttachmentNotFound],
    run: (app, { attachmentId, download }) =>
      app.views.files.attachment(attachmentId).pipe(Effect.map((file) => content(app, file, download))),
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/attachments/{attachmentId}",
    summary: "Delete an attached file",
    description: "Cannot be undone. An agent needs a run, and an issue that is unassigned or its own.",
    access: verified(acting("issue", "attach", "attachment")),
    returns: Done,
    failures: [AttachmentNotFound, IssueHeldByAnother, IssueNotFound, IssueNotYours, RunIdRequired],
    run: ({ issues }, input, { by }) =>
      issues.attachments.remove({ ...input, by }).pipe(Effect.as({ ok: true as const })),
  }),
};

export const assets = {
  addLogo: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/logo",
    summary: "Upload a logo",
    description:
      "Takes multipart/form-data with one image named `file`: PNG, JPEG, WebP, GIF or an SVG without scripts and references. PATCH its assetId into the company's logoAssetId. Those who may change the company may upload it.",
    access: acting("company", "update"),
    body: z.strictObject({ file: UploadedFile }),
    returns: AssetShape,
    status: 201,
    failures: [AssetNotFound, BlobsUnavailable, FileEmpty, LogoTypeUnsupported, UnsafeSvg],
    creates: {
      again: ({ views }, id) => views.files.asset(id as AssetId).pipe(Effect.map(presentAsset)),
    },
    run: ({ assets }, input, { by, newId }) =>
      assets.addLogo({ ...input, id: newId<AssetId>(), by }).pipe(Effect.map(presentAsset)),
  }),
  content: fileEndpoint({
    path: "/api/assets/{assetId}/content",
    summary: "Download a file of a company, such as its logo",
    description: "Takes Range.",
    access: inCompanyOf("asset", "viewer"),
    failures: [AssetNotFound],
    run: (app, { assetId }) => app.views.files.asset(assetId).pipe(Effect.map((file) => content(app, file))),
  }),
};
