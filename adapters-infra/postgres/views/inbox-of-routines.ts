import type { Sql } from "postgres";
import { entryOf } from "./inbox-columns.ts";

/** Routines that have dropped ticks. Reads `r` and `scope`. */
export const missedTicks = (sql: Sql) => sql`
  select  ${entryOf(sql, {
    kind: sql`'missed_ticks'`,
    subject: "routine",
    id: sql`routine.id`,
    title: sql`routine.title`,
    detail: sql`jsonb_build_object('dropped', (missed.details ->> 'dropped')::int)`,
    since: sql`missed.created_at`,
    version: sql`missed.id`,
  })}
  from        r
  join        routines routine on routine.company_id = r.company_id and routine.status = 'active'
  cross join  lateral (
                select    id, details, created_at
                from      activity
                where     activity.company_id = r.company_id
                and       activity.action = 'routine.ticks_missed'
                and       activity.entity_id = routine.id
                and       activity.created_at > (select since from scope)
                order by  activity.created_at desc
                limit     1
              ) as missed
  where       r.name = 'operator'
  and         (missed.details ->> 'dropped')::int > 0
`;
