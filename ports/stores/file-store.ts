import type * as Effect from "effect/Effect";
import type { Asset, Attachment, AttachmentNotFound } from "../../core/model/assets/asset.ts";
import type { AssetId, AttachmentId, CompanyId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface FileStore {
  /** Records a blob without owner; it may be discarded from `dueAt` on. */
  addLoose(blobKey: string, dueAt: Instant): Effect.Effect<void>;
  /** Gives the blob an owner from this transaction. Dies where it was discarded before. */
  takeIntoUse(blobKey: string): Effect.Effect<void>;
  /**
   * Discards a blob without owner, so that it can be deleted; returns false where it has an owner now. Waits for a
   * transaction that is about to use it.
   */
  discard(blobKey: string): Effect.Effect<boolean>;
  /** Discards at most `limit` due blobs, except those that a transaction is about to use. */
  discardDue(at: Instant, limit: number): Effect.Effect<readonly string[]>;
  /** Forgets deleted blobs. */
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

  /** The caller has locked the company. */
  logoOf(companyId: CompanyId): Effect.Effect<AssetId | null>;
  setLogo(companyId: CompanyId, assetId: AssetId | null): Effect.Effect<void>;
}
