import { type Actor, authorOf } from "../access/caller.ts";
import type { Instant } from "../shared/instant.ts";
import { type Asset, cleanContentType, maxFilenameLength, type ReceivedFile } from "./asset.ts";

export const newAsset = (
  file: ReceivedFile,
  { id, companyId, purpose }: Pick<Asset, "id" | "companyId" | "purpose">,
  by: Actor,
  at: Instant,
): Asset => ({
  id,
  companyId,
  purpose,
  provider: file.provider,
  blobKey: file.blobKey,
  contentType: moreTelling(cleanContentType(file.contentType), file.filename),
  byteSize: file.byteSize,
  sha256: file.sha256,
  originalFilename:
    file.filename === null
      ? null
      : file.filename.replaceAll("\0", "").slice(0, maxFilenameLength).toWellFormed(),
  ...authorOf(by),
  createdAt: at,
});

const ooxml = "application/vnd.openxmlformats-officedocument";
const officeTypes: Readonly<Record<string, string>> = {
  docx: `${ooxml}.wordprocessingml.document`,
  xlsx: `${ooxml}.spreadsheetml.sheet`,
  pptx: `${ooxml}.presentationml.presentation`,
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
};
const saysNothing = new Set(["application/octet-stream", "application/zip", "application/x-zip-compressed"]);

/** Clients that do not recognise office files send them as binary data or archives; the file name gives the type. */
const moreTelling = (contentType: string, filename: string | null): string =>
  saysNothing.has(contentType)
    ? (officeTypes[/\.([a-z]{3,4})$/i.exec(filename ?? "")?.[1]?.toLowerCase() ?? ""] ?? contentType)
    : contentType;
