import type { Sql } from "postgres";
import type { Instant } from "../../../core/shared/instant.ts";
import { notedAsDeleted } from "./deleted-events.ts";

/** The bytes of the logs are deleted with other blobs that nothing refers to. */
export const deleteDetails = (endedBefore: Instant, limit: number, at: Instant) => (sql: Sql) =>
  sql<{ runs: number }[]>`
  with due as (
    select    id
    from      runs
    where     finished_at < ${endedBefore}
    and       details_deleted_at is null
    order by  finished_at
    limit     ${limit}
    for       no key update skip locked
  ), marked as (
    update    runs
    set       details_deleted_at = ${at}
    from      due
    where     runs.id = due.id
    returning runs.id
  ), events as (
    delete from run_events
    using       due
    where       run_id = due.id
    returning   company_id, xid, position
  ), segments as (
    delete from run_log_segments
    using       due
    where       run_id = due.id
    returning   company_id, xid, position, blob_key
  ), blobs as (
    insert into loose_blobs (blob_key, due_at)
    select      blob_key, ${at}
    from        segments
    on conflict (blob_key) do nothing
  ), gone as (
    select  company_id, xid, position
    from    events
    union all
    select  company_id, xid, position
    from    segments
  ), noted as (
    ${notedAsDeleted(sql)}
  )
  select  count(*) as runs
  from    marked
`;
