import type { Sql } from "postgres";
import { type Asset, AssetNotFound, AttachmentNotFound } from "../../../core/model/assets/asset.ts";
import type { AssetId, AttachmentId, IssueId } from "../../../core/model/shared/ids.ts";
import type { AttachmentView, FileViews } from "../../../ports/views/file-views.ts";
import { assetColumns, attachmentColumns } from "../columns.ts";
import { byId, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { orFail } from "../rows.ts";

export const fileViews = (database: Database): FileViews => ({
  attachments: (issueId, page) =>
    readPage(database, { kind: "attachments", of: { issueId } }, byId, page, attachments(issueId)),
  attachment: (id) => database.first(attachment(id)).pipe(orFail(() => new AttachmentNotFound())),
  asset: (id) => database.first(asset(id)).pipe(orFail(() => new AssetNotFound())),
});

const shownAssetColumns = assetColumns.without("id, company_id, purpose, created_at");

/** Reads `attachments t` and `assets a`. */
const attachmentView = (sql: Sql) => sql`
  ${attachmentColumns(sql, "t")}, ${shownAssetColumns(sql, "a")}
`;

const attachments =
  (issueId: IssueId) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) =>
    sql<AttachmentView[]>`
  select    ${attachmentView(sql)}
  from      attachments t
  join      assets a on a.id = t.asset_id
  where     t.issue_id = ${issueId}
  ${after === null ? sql`` : sql`and t.id < ${after[0]}`}
  order by  t.id desc
  limit     ${limit}
`;

const attachment = (id: AttachmentId) => (sql: Sql) =>
  sql<AttachmentView[]>`
  select  ${attachmentView(sql)}
  from    attachments t
  join    assets a on a.id = t.asset_id
  where   t.id = ${id}
`;

const asset = (id: AssetId) => (sql: Sql) =>
  sql<Asset[]>`
  select  ${assetColumns(sql)}
  from    assets
  where   id = ${id}
`;
