import { type Actor, actingAgent, actingUser } from "../access/caller.ts";
import type { AssetId, CompanyId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type Asset, cleanContentType, type ReceivedFile } from "./asset.ts";

export const newAsset = (
  file: ReceivedFile,
  purpose: Asset["purpose"],
  id: AssetId,
  companyId: CompanyId,
  by: Actor,
  at: Instant,
): Asset => ({
  id,
  companyId,
  purpose,
  provider: file.provider,
  blobKey: file.blobKey,
  contentType: cleanContentType(file.contentType),
  byteSize: file.byteSize,
  sha256: file.sha256,
  originalFilename:
    file.filename === null ? null : file.filename.toWellFormed().replaceAll("\0", "").slice(0, 255),
  createdByAgentId: actingAgent(by),
  createdByUserId: actingUser(by),
  createdAt: at,
});
