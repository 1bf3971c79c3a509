import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { Notice, Presence, RecentlySent } from "../../../core/model/notices/notice.ts";
import type { NoticeChannelName } from "../../../core/model/notices/notice-kind.ts";
import type { NoticeSettings } from "../../../core/model/notices/notice-settings.ts";
import type { UserId } from "../../../core/model/shared/ids.ts";
import { addSeconds, type Instant } from "../../../core/model/shared/instant.ts";
import type { NoticeLease, NoticePerson, NoticeStore } from "../../../ports/stores/notice-store.ts";
import { noticeColumns } from "../columns.ts";
import { json } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const noticeStore = (tx: Statements): NoticeStore => ({
  markNews: () => Effect.andThen(tx.write(addCursors), tx.write(markNews)),
  markPerson: (userId) => tx.write(markPerson(userId)),
  lease: (lease, at, limit) =>
    Effect.map(tx.read(leaseDue(lease, at, limit)), (rows) => rows.map(({ userId }) => userId)),
  lockLeased: (userId, lease) => tx.first(lockLeased(userId, lease)),
  endLease: (userId, dueAt) => tx.write(endLease(userId, dueAt)),
  saveDigestDay: (userId, day) => tx.write(saveDigestDay(userId, day)),
  settings: (userId) => Effect.map(tx.first(settingsOf(userId)), (row) => row?.settings ?? null),
  lockSettings: (userId) =>
    Effect.andThen(
      tx.write(addPerson(userId)),
      Effect.map(tx.first(lockPerson(userId)), (row) => row?.settings ?? null),
    ),
  lockTestedAt: (userId) =>
    Effect.andThen(
      tx.write(addPerson(userId)),
      Effect.map(tx.first(lockPerson(userId)), (row) => row?.testedAt ?? null),
    ),
  saveTestedAt: (userId, at) => tx.write(saveTestedAt(userId, at)),
  saveSettings: (userId, settings) => tx.write(saveSettings(userId, settings)),
  savePresence: (userId, presence) => tx.write(savePresence(userId, presence)),
  open: (userId) => tx.read(openNotices(userId)),
  closed: (userId, subjects) => tx.read(closedNotices(userId, subjects)),
  recentlySent: (userId, since) =>
    Effect.map(
      tx.read(recentlySent(userId, since)),
      (rows): RecentlySent =>
        Object.fromEntries(rows.map(({ channel, count, oldest }) => [channel, { count, oldest }])),
    ),
  save: (notices) => (notices.length === 0 ? Effect.void : tx.write(saveNotices(notices))),
  deleteBefore: (at, limit) => Effect.map(tx.read(deleteBefore(at, limit)), (rows) => rows.length),
});

const addCursors = (sql: Sql) => sql`
  insert into notice_cursors (company_id)
  select    id
  from      companies
  where     not exists (select from notice_cursors where company_id = companies.id)
  order by  id
  on conflict do nothing
`;

const markNews = (sql: Sql) => sql`
  with cursor as materialized (
    select  company_id, after_xid, after_position
    from    notice_cursors
    for     no key update skip locked
  ),
  last as materialized (
    select      cursor.company_id, entry.xid, entry.position
    from        cursor
    cross join lateral (
      select    xid, position
      from      activity
      where     company_id = cursor.company_id
      and       (cursor.after_xid is null or (xid, position) > (cursor.after_xid, cursor.after_position))
      -- as in the event stream: no open transaction can still put one before it
      and       xid < pg_snapshot_xmin(pg_current_snapshot())
      order by  xid desc, position desc
      limit     1
    ) as entry
  ),
  moved as (
    update  notice_cursors
    set     after_xid = last.xid, after_position = last.position
    from    last
    where   notice_cursors.company_id = last.company_id
  )
  insert into notice_people (user_id, has_news)
  select    person.id, true
  from      board_users person
  where     person.disabled_at is null
  and       exists (
              select
              from    last
              where   person.is_admin
              or      exists (
                        select
                        from    memberships
                        where   memberships.user_id = person.id
                        and     memberships.company_id = last.company_id
                      )
            )
  order by  person.id
  on conflict (user_id) do update
  set       has_news = true
  where     not notice_people.has_news
`;

const markPerson = (userId: UserId) => (sql: Sql) =>
  sql`
  insert into notice_people (user_id, has_news)
  values (${userId}, true)
  on conflict (user_id) do update
  set    has_news = true
`;

/** No time is set further ahead: one that is was set before the clock was put back. */
const furthestSec = 27 * 3_600;

const leaseDue =
  ({ by, until }: NoticeLease, at: Instant, limit: number) =>
  (sql: Sql) =>
    sql<{ userId: UserId }[]>`
  update    notice_people
  set       has_news = false, leased_by = ${by}, lease_until = ${until}
  where     user_id in (
              select    user_id
              from      notice_people
              -- with a lease that has run out, its service has ended in between
              where     (has_news or due_at <= ${at} or due_at > ${addSeconds(at, furthestSec)} or leased_by is not null)
              and       (lease_until is null or lease_until <= ${at} or lease_until > ${addSeconds(at, furthestSec)})
              order by  due_at nulls last, user_id
              limit     ${limit}
              for       no key update skip locked
            )
  returning user_id
`;

const personColumns = (sql: Sql) =>
  sql`user_id, settings, seen_at, present_until, to_char(digest_day, 'YYYY-MM-DD') as digest_day`;

const lockLeased =
  (userId: UserId, { by, until }: NoticeLease) =>
  (sql: Sql) =>
    sql<NoticePerson[]>`
  update    notice_people
  set       lease_until = ${until}
  where     user_id = ${userId}
  and       leased_by = ${by}
  returning ${personColumns(sql)}
`;

const endLease = (userId: UserId, dueAt: Instant | null) => (sql: Sql) =>
  sql`
  update  notice_people
  set     leased_by = null, lease_until = null, due_at = ${dueAt}
  where   user_id = ${userId}
`;

const saveDigestDay = (userId: UserId, day: string) => (sql: Sql) =>
  sql`
  update  notice_people
  set     digest_day = ${day}
  where   user_id = ${userId}
`;

const settingsOf = (userId: UserId) => (sql: Sql) =>
  sql<{ settings: NoticeSettings | null }[]>`
  select  settings
  from    notice_people
  where   user_id = ${userId}
`;

/** Two transactions that both find no row would not wait for each other. */
const addPerson = (userId: UserId) => (sql: Sql) =>
  sql`
  insert into notice_people (user_id)
  values (${userId})
  on conflict do nothing
`;

const lockPerson = (userId: UserId) => (sql: Sql) =>
  sql<{ settings: NoticeSettings | null; testedAt: Instant | null }[]>`
  select  settings, tested_at
  from    notice_people
  where   user_id = ${userId}
  for     no key update
`;

const saveTestedAt = (userId: UserId, at: Instant) => (sql: Sql) =>
  sql`
  update  notice_people
  set     tested_at = ${at}
  where   user_id = ${userId}
`;

const saveSettings = (userId: UserId, settings: NoticeSettings) => (sql: Sql) =>
  sql`
  insert into notice_people (user_id, settings, has_news)
  values (${userId}, ${json(sql, settings)}, true)
  on conflict (user_id) do update
  set    settings = excluded.settings, has_news = true
`;

/** Notices that waited for the report of the page are looked at again. */
const savePresence =
  (userId: UserId, { seenAt, presentUntil }: Presence) =>
  (sql: Sql) =>
    sql`
  insert into notice_people (user_id, seen_at, present_until)
  values (${userId}, ${seenAt}, ${presentUntil})
  on conflict (user_id) do update
  set    seen_at = greatest(notice_people.seen_at, excluded.seen_at), present_until = excluded.present_until,
         has_news = notice_people.has_news or excluded.present_until <= excluded.seen_at
`;

const openNotices = (userId: UserId) => (sql: Sql) =>
  sql<Notice[]>`
  select    ${noticeColumns(sql)}
  from      notices
  where     user_id = ${userId}
  and       (closed_at is null or sendings @? '$.*.state ? (@ == "withdrawing")')
  order by  noticed_at, id
`;

const closedNotices = (userId: UserId, subjects: readonly string[]) => (sql: Sql) =>
  sql<Notice[]>`
  select    ${noticeColumns(sql)}
  from      notices
  where     user_id = ${userId}
  and       subject = any(${[...subjects]}::text[])
  and       closed_at is not null
  and       not sendings @? '$.*.state ? (@ == "withdrawing")'
  order by  noticed_at, id
`;

const recentlySent = (userId: UserId, since: Instant) => (sql: Sql) =>
  sql<{ channel: NoticeChannelName; count: number; oldest: Instant }[]>`
  select    channel, count(*)::int as count, min((sending ->> 'sentAt')::timestamptz) as oldest
  from      notices
  cross join lateral jsonb_each(sendings) as each (channel, sending)
  where     user_id = ${userId}
  and       (sending ->> 'sentAt')::timestamptz > ${since}
  group by  channel
  order by  channel
`;

const saveNotices = (notices: readonly Notice[]) => (sql: Sql) =>
  sql`
  insert into notices (id, user_id, company_id, subject, version, kind, noticed_at, closed_at, sendings)
  select  id, "userId", "companyId", subject, version, kind, "noticedAt", "closedAt", sendings
  from    jsonb_to_recordset(${json(sql, notices)}) as saved (
            id uuid, "userId" uuid, "companyId" uuid, subject text, version text, kind text, "noticedAt" timestamptz,
            "closedAt" timestamptz, sendings jsonb
          )
  on conflict (id) do update
  set     version = excluded.version, kind = excluded.kind, noticed_at = excluded.noticed_at,
          closed_at = excluded.closed_at, sendings = excluded.sendings
`;

const deleteBefore = (at: Instant, limit: number) => (sql: Sql) =>
  sql`
  delete from notices
  where  id in (
           select  id
           from    notices
           where   closed_at < ${at}
           limit   ${limit}
         )
  returning id
`;
