import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import { runEndsOfHolds, wakeEndsOfHolds } from "../../../core/model/agents/holds.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { HistoryStore } from "../../../ports/stores/history-store.ts";
import { plannedForItsValues, type Statement } from "../database.ts";
import { setOf } from "../facts.ts";
import type { Statements } from "../transaction.ts";

export const historyStore = (tx: Statements): HistoryStore => {
  const counted = (statement: Statement<Deleted>): Effect.Effect<number> =>
    tx.first(statement).pipe(Effect.map((row) => row!.deleted));
  return {
    // A plan for any limit reads all runs and all events.
    deleteRunDetails: (endedBefore, limit, at) =>
      counted(plannedForItsValues(deleteRunDetails(endedBefore, limit, at))),
    deleteLoneWakes: (endedBefore, limit) => counted(deleteLoneWakes(endedBefore, limit)),
    deleteFiringPayloads: (before, limit) => counted(deleteFiringPayloads(before, limit)),
    deleteActivity: (before, limit) => counted(deleteActivity(before, limit)),
    deleteSecretAccess: (before, limit) => counted(deleteSecretAccess(before, limit)),
    deleteSessions: (endedBefore, limit) => counted(deleteSessions(endedBefore, limit)),
    deleteSignIns: (before, limit) => counted(deleteSignIns(before, limit)),
    deleteSignInCodes: (expiredBefore, limit) => counted(deleteSignInCodes(expiredBefore, limit)),
  };
};

interface Deleted {
  readonly deleted: number;
}

/** The least UUID v7 of a time: ids ascend in order of creation, so that the oldest rows need no index of their own. */
const firstIdOf = (at: Instant): string => {
  const hex = Date.parse(at).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

/** The bytes of the logs are deleted with other blobs that nothing refers to. */
const deleteRunDetails = (endedBefore: Instant, limit: number, at: Instant) => (sql: Sql) =>
  sql<Deleted[]>`
  with due as (
    select    id, coalesce(stop_reason in ${setOf(sql, runEndsOfHolds)}, false) as is_cut_off
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
  ), taken_up as (
    delete from wakes
    using       due
    where       run_id = due.id
    and         status <> 'pending'
    and         not due.is_cut_off
  ), gone as (
    select  company_id, xid, position
    from    events
    union all
    select  company_id, xid, position
    from    segments
  ), noted as (
    ${notedAsDeleted(sql)}
  )
  select  count(*) as deleted
  from    marked
`;

const deleteFiringPayloads = (before: Instant, limit: number) => (sql: Sql) =>
  sql<Deleted[]>`
  with due as (
    select    id
    from      routine_runs
    where     id < ${firstIdOf(before)}
    and       created_at < ${before}
    and       trigger_payload is not null
    order by  id
    limit     ${limit}
    for       no key update skip locked
  ), gone as (
    update  routine_runs
    set     trigger_payload = null
    from    due
    where   routine_runs.id = due.id
  )
  select  count(*) as deleted
  from    due
`;

const deleteActivity = (before: Instant, limit: number) => (sql: Sql) =>
  sql<Deleted[]>`
  with due as (
    select    id
    from      activity
    where     id < ${firstIdOf(before)}
    and       created_at < ${before}
    order by  id
    limit     ${limit}
    for       update skip locked
  ), gone as (
    delete from activity
    using       due
    where       activity.id = due.id
    returning   company_id, xid, position
  ), noted as (
    ${notedAsDeleted(sql)}
  )
  select  count(*) as deleted
  from    gone
`;

/** Deletes the oldest rows of a table that a condition names, as far as no other service does. */
const deleteOldest =
  (table: string, limit: number, order: string, condition: (sql: Sql) => Fragment) => (sql: Sql) =>
    sql<Deleted[]>`
  with due as (
    select    id
    from      ${sql(table)}
    where     ${condition(sql)}
    order by  ${sql(order)}
    limit     ${limit}
    for       update skip locked
  ), gone as (
    delete from ${sql(table)} as old
    using       due
    where       old.id = due.id
  )
  select  count(*) as deleted
  from    due
`;

const deleteLoneWakes = (endedBefore: Instant, limit: number) =>
  deleteOldest(
    "wakes",
    limit,
    "ended_at",
    (sql) =>
      sql`run_id is null and ended_at < ${endedBefore} and end_reason not in ${setOf(sql, wakeEndsOfHolds)}`,
  );

const deleteSecretAccess = (before: Instant, limit: number) =>
  deleteOldest(
    "secret_access_events",
    limit,
    "id",
    (sql) => sql`id < ${firstIdOf(before)} and created_at < ${before}`,
  );

const deleteSessions = (endedBefore: Instant, limit: number) =>
  deleteOldest("board_tokens", limit, "ends_at", (sql) => sql`kind = 'session' and ends_at < ${endedBefore}`);

const deleteSignIns = (before: Instant, limit: number) =>
  deleteOldest("sign_ins", limit, "id", (sql) => sql`id < ${firstIdOf(before)} and created_at < ${before}`);

const deleteSignInCodes = (expiredBefore: Instant, limit: number) =>
  deleteOldest("sign_in_codes", limit, "expires_at", (sql) => sql`expires_at < ${expiredBefore}`);

/**
 * Stores of each company the last event in `gone (company_id, xid, position)`, for readers who continue before it. Part
 * of a statement that deletes events; companies ascend, so that two of them do not wait for each other in a circle. A
 * database that was restored from a dump counts transactions anew: an event of a later one than those so far is of before.
 */
const notedAsDeleted = (sql: Sql) => sql`
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
