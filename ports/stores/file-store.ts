import type * as Effect from "effect/Effect";
import type { Asset, Attachment, AttachmentNotFound } from "../../core/assets/asset.ts";
import type { AssetId, AttachmentId, CompanyId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

export interface FileStore {
  /** The blob belongs to nothing; from `dueAt` on it may be given up. */
  addLoose(blobKey: string, dueAt: Instant): Effect.Effect<void>;
  /** The blob belongs to what this transaction makes. Dies where it was given up before. */
  takeIntoUse(blobKey: string): Effect.Effect<void>;
  /**
   * From now on nothing takes the loose blob into use, so it can be deleted; false where something has. Waits for a
   * transaction that is about to.
   */
  giveUp(blobKey: string): Effect.Effect<boolean>;
  /** Gives up those whose time has come, at most `limit`, but for those that a transaction is about to take into use. */
  giveUpDue(at: Instant, limit: number): Effect.Effect<readonly string[]>;
  /** The blobs are deleted. */
  forgetLoose(blobKeys: readonly string[]): Effect.Effect<void>;

  insertAsset(asset: Asset): Effect.Effect<void>;
  findAsset(id: AssetId, companyId: CompanyId): Effect.Effect<Asset | null>;
  deleteAsset(id: AssetId): Effect.Effect<void>;
  insertAttachment(attachment: Attachment): Effect.Effect<void>;
  /** Waits for a deletion of it in progress. */
  lockAttachment(
    id: AttachmentId,
  ): Effect.Effect<Attachment & { readonly blobKey: string }, AttachmentNotFound>;
  deleteAttachment(id: AttachmentId): Effect.Effect<void>;

  /** Of a company that the transaction has locked. */
  logoOf(companyId: CompanyId): Effect.Effect<AssetId | null>;
  setLogo(companyId: CompanyId, assetId: AssetId | null): Effect.Effect<void>;
}
