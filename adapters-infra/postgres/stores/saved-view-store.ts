import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { SavedView } from "../../../core/model/access/saved-view.ts";
import type { CompanyId, SavedViewId, UserId } from "../../../core/model/shared/ids.ts";
import type { SavedViewStore } from "../../../ports/stores/saved-view-store.ts";
import type { Statements } from "../transaction.ts";
import { savedViews } from "../views/people-views.ts";

export const savedViewStore = (tx: Statements): SavedViewStore => ({
  of: (userId, companyId) => tx.read(savedViews(userId, companyId)),
  save: (view) => tx.write(saveView(view)),
  delete: (id, userId, companyId) =>
    tx.first(deleteView(id, userId, companyId)).pipe(Effect.map((deleted) => deleted !== null)),
});

const saveView =
  ({ id, companyId, userId, name, query, createdAt, updatedAt }: SavedView) =>
  (sql: Sql) =>
    sql`
  insert into saved_views (id, company_id, user_id, name, query, created_at, updated_at)
  values (${id}, ${companyId}, ${userId}, ${name}, ${query}, ${createdAt}, ${updatedAt})
  on conflict (id) do update
  set    name = excluded.name, query = excluded.query, updated_at = excluded.updated_at
`;

const deleteView = (id: SavedViewId, userId: UserId, companyId: CompanyId) => (sql: Sql) =>
  sql<{ id: string }[]>`
  delete from saved_views
  where     id = ${id}
  and       user_id = ${userId}
  and       company_id = ${companyId}
  returning id
`;
