import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { isUuid } from "../../../core/shared/ids.ts";
import type { ActivityFilter, ActivityView, ActivityViews } from "../../../ports/views/activity-views.ts";
import { CursorInvalid } from "../../../ports/views/page.ts";
import { idCursor, pageOf } from "../cursor.ts";
import type { Database } from "../database.ts";

export const activityViews = (database: Database): ActivityViews => ({
  list: (filter, { limit, cursor }) => {
    const after = idCursor("activity", cursor);
    if (after instanceof CursorInvalid) return Effect.fail(after);
    // What is not an id is nobody's.
    if (![filter.entityId, filter.actorId].every((id) => id === undefined || isUuid(id)))
      return Effect.succeed({ items: [], next: null });
    return database
      .read(listActivity(filter, after?.id ?? null, limit + 1))
      .pipe(Effect.map((rows) => pageOf(rows, limit, "activity", ({ id }) => [id])));
  },
});

const listActivity = (filter: ActivityFilter, after: string | null, limit: number) => (sql: Sql) =>
  sql<ActivityView[]>`
  select    id, company_id, actor_kind as actor_type, actor_id, run_id, action, entity_type, entity_id, details,
            created_at
  from      activity
  where     company_id = ${filter.companyId}
  ${filter.entityType === undefined ? sql`` : sql`and entity_type = ${filter.entityType}`}
  ${filter.entityId === undefined ? sql`` : sql`and entity_id = ${filter.entityId}`}
  ${filter.actorId === undefined ? sql`` : sql`and actor_id = ${filter.actorId}`}
  ${after === null ? sql`` : sql`and id < ${after}`}
  order by  id desc
  limit     ${limit}
`;
