import { refusal } from "../shared/failure.ts";
import type {
  AgentId,
  AssetId,
  AttachmentId,
  CommentId,
  CompanyId,
  IssueId,
  RunId,
  UserId,
} from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { pictureTypes } from "./picture-types.ts";

/** A stored upload that nothing refers to yet. */
export interface ReceivedFile {
  /** The client's file name; safe only for display. */
  readonly filename: string | null;
  /** The client's content type. */
  readonly contentType: string;
  readonly provider: string;
  readonly blobKey: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly byteSize: number;
}

/** A file of a company. */
export interface Asset {
  readonly id: AssetId;
  readonly companyId: CompanyId;
  /** A logo's content is validated and may be displayed; attachments may be anything. */
  readonly purpose: "attachment" | "logo";
  readonly provider: string;
  readonly blobKey: string;
  readonly contentType: string;
  readonly byteSize: number;
  readonly sha256: string;
  readonly originalFilename: string | null;
  readonly createdByAgentId: AgentId | null;
  readonly createdByUserId: UserId | null;
  readonly createdAt: Instant;
}

/** An asset in the thread of an issue. */
export interface Attachment {
  readonly id: AttachmentId;
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly issueCommentId: CommentId | null;
  readonly originatingRunId: RunId | null;
  readonly assetId: AssetId;
  readonly createdAt: Instant;
}

export class AssetNotFound extends refusal("asset_not_found", "not_found", "File not found.") {}

export class AttachmentNotFound extends refusal(
  "attachment_not_found",
  "not_found",
  "Attachment not found.",
) {}

export class FileEmpty extends refusal("file_empty", "unprocessable", "The file is empty.") {}

export class LogoTypeUnsupported extends refusal(
  "logo_type_unsupported",
  "unprocessable",
  "A logo must be a PNG, JPEG, WebP, GIF or SVG image.",
) {}

export class UnsafeSvg extends refusal(
  "unsafe_svg",
  "unprocessable",
  "The SVG contains elements that aren't allowed in a logo.",
) {}

/** Detects the image type from the first bytes; null where unknown. */
export const imageTypeOf = (head: Uint8Array): string | null => {
  const begins = (bytes: readonly number[], at = 0) => bytes.every((byte, i) => head[at + i] === byte);
  if (begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  if (begins([0xff, 0xd8, 0xff])) return "image/jpeg";
  if (begins([0x47, 0x49, 0x46, 0x38]) && (head[4] === 0x37 || head[4] === 0x39) && head[5] === 0x61)
    return "image/gif";
  if (begins([0x52, 0x49, 0x46, 0x46]) && begins([0x57, 0x45, 0x42, 0x50], 8)) return "image/webp";
  return null;
};

export const maxFilenameLength = 255;

/** Returns a content type that is safe in a header; an invalid one becomes binary data. */
export const cleanContentType = (given: string): string => {
  const type = given.split(";")[0]!.trim().toLowerCase();
  return type.length <= 127 && /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(type)
    ? type
    : "application/octet-stream";
};

const shownInline: ReadonlySet<string> = new Set([...pictureTypes, "application/pdf", "text/plain"]);

/** Whether a browser may display it inline; other files are downloaded and cannot run scripts. */
export const isShownInline = (contentType: string): boolean => shownInline.has(contentType);
