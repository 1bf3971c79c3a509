import type { Sql } from "postgres";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import { addKept, sumColumns, sums } from "./cost-sums.ts";

/** Of `cost_events e`: nothing will be counted with the run of the event any more, so that it need not be known. */
const isFoldable = (sql: Sql, before: Instant) => sql`
  e.occurred_at < ${before}
  and not exists (
    select from runs run where run.id = e.run_id and (run.finished_at is null or run.finished_at >= ${before})
  )
  and not exists (
    select from cost_events later where later.run_id = e.run_id and later.occurred_at >= ${before}
  )
`;

export const companyToFold = (before: Instant) => (sql: Sql) =>
  sql<{ companyId: CompanyId }[]>`
  select    company.id as company_id
  from      companies company
  where     exists (select from cost_events e where e.company_id = company.id and ${isFoldable(sql, before)})
  order by  company.id
  limit     1
`;

/** The clock may have been set back since. */
export const recordFold = (companyId: CompanyId, before: Instant) => (sql: Sql) =>
  sql`
  insert into cost_folds as kept (company_id, before)
  values (${companyId}, ${before})
  on conflict (company_id) do update set before = greatest(kept.before, excluded.before)
`;

/** Takes all events of a run at once, so that the days on which it cost something are known. */
export const foldEvents = (companyId: CompanyId, before: Instant, limit: number) => (sql: Sql) =>
  sql`
  with
    due as (
      select    e.id, e.run_id
      from      cost_events e
      where     e.company_id = ${companyId}
      and       ${isFoldable(sql, before)}
      order by  e.occurred_at
      limit     ${limit}
    ),
    folded as (
      delete from cost_events
      where       company_id = ${companyId}
      and         (id in (select id from due) or run_id in (select run_id from due))
      returning   *
    ),
    run_day as (
      select  run_id, issue_id, day,
              lag(day, 1, '-infinity') over (partition by run_id, issue_id order by day) as previous_day
      from    (
                select  distinct run_id, issue_id, (occurred_at at time zone 'UTC')::date as day
                from    folded
                where   run_id is not null
              ) as each
    )
  insert into cost_issue_days as kept (company_id, day, issue_id, previous_day, ${sumColumns(sql)}, run_count)
  select    ${companyId}, event.day, event.issue_id, coalesce(run_day.previous_day, '-infinity'), ${sums(sql)},
            count(distinct event.run_id)
  from      (select *, (occurred_at at time zone 'UTC')::date as day, 1 as sign from folded) as event
  left join run_day on run_day.run_id = event.run_id and run_day.day = event.day
                   and run_day.issue_id is not distinct from event.issue_id
  group by  event.day, event.issue_id, coalesce(run_day.previous_day, '-infinity')
  on conflict on constraint cost_issue_days_key do update
  set       ${addKept(sql)}, run_count = kept.run_count + excluded.run_count
`;
