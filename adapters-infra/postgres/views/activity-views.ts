import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { isUuid } from "../../../core/shared/ids.ts";
import type { ActivityFilter, ActivityView, ActivityViews } from "../../../ports/views/activity-views.ts";
import { byId, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";

export const activityViews = (database: Database): ActivityViews => ({
  list: (filter, page) =>
    // A value that is no id matches nothing.
    [filter.entityId, filter.actorId].every((id) => id === undefined || isUuid(id))
      ? readPage(database, { kind: "activity", of: { ...filter } }, byId, page, listActivity(filter))
      : Effect.succeed({ items: [], next: null }),
});

const listActivity =
  (filter: ActivityFilter) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) =>
    sql<ActivityView[]>`
  select    id, company_id, actor_kind as actor_type, actor_id,
            case actor_kind
              when 'agent' then (select name from agents where id = activity.actor_id)
              when 'board' then (select name from board_users where id = activity.actor_id)
            end as actor_name,
            run_id, action, entity_type, entity_id, details, created_at
  from      activity
  where     company_id = ${filter.companyId}
  ${filter.entityType === undefined ? sql`` : sql`and entity_type = ${filter.entityType}`}
  ${filter.entityId === undefined ? sql`` : sql`and entity_id = ${filter.entityId}`}
  ${filter.actorId === undefined ? sql`` : sql`and actor_id = ${filter.actorId}`}
  ${after === null ? sql`` : sql`and id < ${after[0]}`}
  order by  id desc
  limit     ${limit}
`;
