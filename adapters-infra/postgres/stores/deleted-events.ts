import type { Sql } from "postgres";

/**
 * Stores of each company the last event in `gone (company_id, xid, position)`, for readers who continue before it. Part
 * of a statement that deletes events; companies ascend, so that two of them do not wait for each other in a circle. A
 * database that was restored from a dump counts transactions anew: an event of a later one than those so far is of before.
 */
export const notedAsDeleted = (sql: Sql) => sql`
  insert into deleted_events (company_id, xid, position)
  select distinct on (company_id) company_id, xid, position
  from     gone
  order by company_id, xid desc, position desc
  on conflict (company_id) do update
  set   xid      = excluded.xid,
        position = excluded.position
  where (deleted_events.xid, deleted_events.position) < (excluded.xid, excluded.position)
  or    deleted_events.xid >= pg_snapshot_xmin(pg_current_snapshot())
`;
