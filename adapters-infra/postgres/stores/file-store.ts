import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Asset, type Attachment, AttachmentNotFound } from "../../../core/model/assets/asset.ts";
import type { AssetId, AttachmentId, CompanyId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { FileStore } from "../../../ports/stores/file-store.ts";
import { backupLock } from "../backup-lock.ts";
import { assetColumns, attachmentColumns } from "../columns.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const fileStore = (tx: Statements): FileStore => ({
  addLoose: (blobKey, dueAt) => tx.write(addLoose(blobKey, dueAt)),
  takeIntoUse: (blobKey) =>
    tx
      .first(takeLoose(blobKey))
      .pipe(
        Effect.flatMap((row) =>
          row === null ? Effect.die(new Error(`the blob ${blobKey} was discarded`)) : Effect.void,
        ),
      ),
  discard: (blobKey) => tx.first(discard(blobKey)).pipe(Effect.map((row) => row !== null)),
  discardDue: (at, limit) =>
    tx.read(discardDue(at, limit)).pipe(Effect.map((rows) => rows.map(({ blobKey }) => blobKey))),
  forgetLoose: (blobKeys) => tx.write(forgetLoose(blobKeys)),
  insertAsset: (asset) => tx.write(insertAsset(asset)),
  findAsset: (id, companyId) => tx.first(findAsset(id, companyId)),
  deleteAsset: (id) => tx.write(deleteAsset(id)),
  insertAttachment: (attachment) => tx.write(insertAttachment(attachment)),
  lockAttachment: (id) => tx.first(lockAttachment(id)).pipe(orFail(() => new AttachmentNotFound())),
  deleteAttachment: (id) => tx.write(deleteAttachment(id)),
  logoOf: (companyId) => tx.first(logoOf(companyId)).pipe(Effect.map((row) => row?.logoAssetId ?? null)),
  setLogo: (companyId, assetId) => tx.write(setLogo(companyId, assetId)),
});

const addLoose = (blobKey: string, dueAt: Instant) => (sql: Sql) =>
  sql`
  insert into loose_blobs (blob_key, due_at)
  values (${blobKey}, ${dueAt})
  on conflict (blob_key) do update set due_at = excluded.due_at
`;

/** A discarded blob is always due. Its row stays until its bytes are deleted. */
const takeLoose = (blobKey: string) => (sql: Sql) =>
  sql<{ blobKey: string }[]>`
  delete from loose_blobs
  where       blob_key = ${blobKey}
  and         due_at > '-infinity'
  returning   blob_key
`;

/** A snapshot that is being backed up may still refer to the blob; then it stays, for a later sweep. */
const noBackup = (sql: Sql) => sql`(select pg_try_advisory_xact_lock_shared(${backupLock}))`;

const discard = (blobKey: string) => (sql: Sql) =>
  sql<{ blobKey: string }[]>`
  update     loose_blobs
  set        due_at = '-infinity'
  where      blob_key = ${blobKey}
  and        ${noBackup(sql)}
  returning  blob_key
`;

const discardDue = (at: Instant, limit: number) => (sql: Sql) =>
  sql<{ blobKey: string }[]>`
  update     loose_blobs
  set        due_at = '-infinity'
  where      blob_key = any(array(
               select    blob_key
               from      loose_blobs
               where     due_at <= ${at}
               and       ${noBackup(sql)}
               order by  due_at
               limit     ${limit}
               for       update skip locked
             ))
  returning  blob_key
`;

const forgetLoose = (blobKeys: readonly string[]) => (sql: Sql) =>
  sql`
  delete from loose_blobs
  where  blob_key = any(${blobKeys}::text[])
`;

const insertAsset = (asset: Asset) => (sql: Sql) =>
  sql`
  insert into assets ${assetColumns.values(sql, asset)}
`;

const findAsset = (id: AssetId, companyId: CompanyId) => (sql: Sql) =>
  sql<Asset[]>`
  select  ${assetColumns(sql)}
  from    assets
  where   id = ${id}
  and     company_id = ${companyId}
`;

const deleteAsset = (id: AssetId) => (sql: Sql) =>
  sql`
  delete from assets
  where  id = ${id}
`;

const insertAttachment = (attachment: Attachment) => (sql: Sql) =>
  sql`
  insert into attachments ${attachmentColumns.values(sql, attachment)}
`;

const lockAttachment = (id: AttachmentId) => (sql: Sql) =>
  sql<(Attachment & { blobKey: string })[]>`
  select  ${attachmentColumns(sql, "t")}, a.blob_key
  from    attachments t
  join    assets a on a.id = t.asset_id
  where   t.id = ${id}
  for     update of t
`;

const deleteAttachment = (id: AttachmentId) => (sql: Sql) =>
  sql`
  delete from attachments
  where  id = ${id}
`;

const logoOf = (companyId: CompanyId) => (sql: Sql) =>
  sql<{ logoAssetId: AssetId | null }[]>`
  select  logo_asset_id
  from    companies
  where   id = ${companyId}
`;

const setLogo = (companyId: CompanyId, assetId: AssetId | null) => (sql: Sql) =>
  sql`
  update  companies
  set     logo_asset_id = ${assetId}
  where   id = ${companyId}
`;
