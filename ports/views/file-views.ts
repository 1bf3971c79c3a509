import type * as Effect from "effect/Effect";
import type { Asset, AssetNotFound, Attachment, AttachmentNotFound } from "../../core/model/assets/asset.ts";
import type { AssetId, AttachmentId, IssueId } from "../../core/model/shared/ids.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

/** An attachment with its file. */
export interface AttachmentView extends Attachment, Omit<Asset, "id" | "purpose"> {}

export interface FileViews {
  /** Newest first. */
  attachments(issueId: IssueId, page: PageRequest): Effect.Effect<Page<AttachmentView>, CursorInvalid>;
  attachment(id: AttachmentId): Effect.Effect<AttachmentView, AttachmentNotFound>;
  asset(id: AssetId): Effect.Effect<Asset, AssetNotFound>;
}
