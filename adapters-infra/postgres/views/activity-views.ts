import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import { isUuid } from "../../../core/model/shared/ids.ts";
import type { ActivityFilter, ActivityView, ActivityViews } from "../../../ports/views/activity-views.ts";
import { byCreation, byId, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { plainlySearched, saysSomething } from "./search-views.ts";

export const activityViews = (database: Database): ActivityViews => ({
  list: (filter, page) => {
    // A value that is no id matches nothing.
    if (![filter.entityId, filter.actorId].every((id) => id === undefined || isUuid(id)))
      return Effect.succeed({ items: [], next: null });
    const of = { ...filter };
    return filter.from === undefined && filter.to === undefined
      ? readPage(database, { kind: "activity", of }, byId, page, listActivity(filter))
      : readPage(database, { kind: "activity of a time", of }, byCreation, page, listActivityOfTime(filter));
  },
});

const listActivity =
  (filter: ActivityFilter) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) =>
    sql<ActivityView[]>`
  ${entriesOf(sql, filter)}
  ${after === null ? sql`` : sql`and id < ${after[0]}`}
  order by  id desc
  limit     ${limit}
`;

/** In the order of the index that finds a period, however long ago: ids are not bound to the time that an entry tells. */
const listActivityOfTime =
  (filter: ActivityFilter) =>
  (after: readonly [createdAt: string, id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<ActivityView[]>`
  ${entriesOf(sql, filter)}
  ${filter.from === undefined ? sql`` : sql`and created_at >= ${filter.from}`}
  ${filter.to === undefined ? sql`` : sql`and created_at < ${filter.to}`}
  ${after === null ? sql`` : sql`and (created_at, id) < (${after[0]}, ${after[1]})`}
  order by  created_at desc, id desc
  limit     ${limit}
`;

const entriesOf = (sql: Sql, filter: ActivityFilter): Fragment => sql`
  select    id, company_id, actor_kind as actor_type, actor_id,
            case actor_kind
              when 'agent' then (select name from agents where id = activity.actor_id)
              when 'board' then (select name from board_users where id = activity.actor_id)
            end as actor_name,
            assistant, run_id, action, entity_type, entity_id, details, created_at
  from      activity
  where     company_id = ${filter.companyId}
  ${filter.entityType === undefined ? sql`` : sql`and entity_type = ${filter.entityType}`}
  ${filter.entityId === undefined ? sql`` : sql`and entity_id = ${filter.entityId}`}
  ${filter.actorId === undefined ? sql`` : sql`and actor_id = ${filter.actorId}`}
  ${filter.query === undefined ? sql`` : sql`and ${matchesText(sql, filter, filter.query)}`}
`;

/** The expression is that of the index `activity_by_words`. */
const matchesText = (sql: Sql, { companyId }: ActivityFilter, query: string): Fragment => sql`
  (array_to_tsvector(array[company_id::text]) || jsonb_to_tsvector('english'::regconfig, plain(details::text)::jsonb, '["string"]'))
    @@ ${plainlySearched(sql, companyId, query)}
  and ${saysSomething(sql, query)}
`;
