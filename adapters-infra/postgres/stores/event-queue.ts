import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { EventDelivery } from "../../../core/model/events/event-delivery.ts";
import type { OutgoingEvent } from "../../../core/model/events/event-message.ts";
import type { EventSubscription } from "../../../core/model/events/event-subscription.ts";
import type { EventSubscriptionId, ServiceId } from "../../../core/model/shared/ids.ts";
import { addSeconds, type Instant } from "../../../core/model/shared/instant.ts";
import type { EventQueue, OutgoingDelivery } from "../../../ports/stores/event-store.ts";
import { eventDeliveryColumns, eventSubscriptionColumns } from "../columns.ts";
import { json } from "../rows.ts";
import type { Statements } from "../transaction.ts";

/** How many events one round queues for a subscription. */
const perRound = 500;
/** No retry is scheduled further ahead than this. A later time means that the clock was set back. */
const furthestSec = 2 * 3_600;

export const eventQueue = (tx: Statements): EventQueue => ({
  lockEnabled: () => Effect.map(tx.read(lockEnabled), (rows) => rows.map(({ id }) => id)),
  enqueue: (ids, at) => Effect.map(tx.first(enqueue(ids, at)), (row) => row?.isFull === true),
  take: (lease, limit) => tx.read(takeDue(lease, limit)),
  lockLeased: (id, lease) => tx.first(lockLeased(id, lease)),
  due: (id, at, limit) => Effect.map(tx.read(dueDeliveries(id, at, limit)), (rows) => rows.map(outgoingOf)),
  saveAttempts: (id, deliveries) =>
    Effect.andThen(
      tx.write(saveAttempts(deliveries)),
      tx.write(
        markHeads(
          id,
          deliveries.filter(({ state }) => state !== "pending").map(({ subjectId }) => subjectId),
        ),
      ),
    ),
  abandonPending: (id) => tx.write(abandonPending(id)),
  endLease: (id, dueAt) => tx.write(endLease(id, dueAt)),
  deleteBefore: (at, limit) => Effect.map(tx.read(deleteBefore(at, limit)), (rows) => rows.length),
});

/** Marks the earliest pending one of each subject; null: of all subjects. */
export const markHeads = (id: EventSubscriptionId, subjectIds: readonly string[] | null) => (sql: Sql) =>
  sql`
  update  event_deliveries delivery
  set     is_head = true
  from    ${
    subjectIds === null
      ? sql`(
            select distinct subject_id
            from            event_deliveries
            where           subscription_id = ${id}
            and             state = 'pending'
          )`
      : sql`(select distinct unnest(${[...subjectIds]}::uuid[]) as subject_id)`
  } as subject
  cross join lateral (
            select    id
            from      event_deliveries
            where     subscription_id = ${id}
            and       subject_id = subject.subject_id
            and       state = 'pending'
            order by  position
            limit     1
          ) as first
  where   delivery.id = first.id
  and     not delivery.is_head
`;

const lockEnabled = (sql: Sql) => sql<{ id: EventSubscriptionId }[]>`
  select    id
  from      event_subscriptions
  where     disabled_at is null
  order by  id
  for       no key update skip locked
`;

const enqueue = (ids: readonly EventSubscriptionId[], at: Instant) => (sql: Sql) =>
  sql<{ isFull: boolean }[]>`
  with news as materialized (
    select      subscription.id as subscription_id, subscription.events, entry.*
    from        event_subscriptions subscription
    cross join lateral (
      select    id, company_id, action, entity_type, entity_id, actor_kind, actor_id, assistant, run_id, details,
                created_at, xid, position
      from      activity
      where     company_id = subscription.company_id
      and       (xid, position) > (subscription.after_xid, subscription.after_position)
      -- as in the event stream: no open transaction can still put one before it
      and       xid < pg_snapshot_xmin(pg_current_snapshot())
      order by  xid, position
      limit     ${perRound}
    ) as entry
    where       subscription.id = any(${[...ids]}::uuid[])
  ),
  chosen as (
    select  *, row_number() over (partition by subscription_id, entity_id order by xid, position) as nth
    from    news
    where   events && array['*', action, split_part(action, '.', 1) || '.*']
  ),
  queued as (
    insert into event_deliveries (
      id, company_id, subscription_id, event_id, type, subject_type, subject_id, actor_type, actor_id, assistant, run_id,
      details, occurred_at, state, is_head, next_attempt_at, created_at
    )
    select    gen_random_uuid(), company_id, subscription_id, id, action, entity_type, entity_id, actor_kind, actor_id,
              assistant, run_id, details, created_at, 'pending',
              nth = 1 and not exists (
                select
                from    event_deliveries waiting
                where   waiting.subscription_id = chosen.subscription_id
                and     waiting.subject_id = chosen.entity_id
                and     waiting.state = 'pending'
              ),
              ${at}, ${at}
    from      chosen
    order by  subscription_id, xid, position
    returning subscription_id
  ),
  last as (
    select distinct on (subscription_id) subscription_id, xid, position
    from     news
    order by subscription_id, xid desc, position desc
  ),
  moved as (
    update  event_subscriptions subscription
    set     after_xid = last.xid, after_position = last.position,
            next_attempt_at = case
              when subscription.id not in (select subscription_id from queued) then next_attempt_at
              when failures = 0 then ${at}
              else coalesce(next_attempt_at, ${at})
            end
    from    last
    where   subscription.id = last.subscription_id
  ),
  -- of a restored database, whose transactions are another server's
  begun as (
    update  event_subscriptions
    set     after_xid = pg_snapshot_xmin(pg_current_snapshot())
    where   id = any(${[...ids]}::uuid[])
    and     after_xid is null
  )
  select  exists (select from news group by subscription_id having count(*) >= ${perRound}) as is_full
`;

const takeDue =
  ({ by, at, until }: { by: ServiceId; at: Instant; until: Instant }, limit: number) =>
  (sql: Sql) =>
    sql<EventSubscription[]>`
  update    event_subscriptions
  set       leased_by = ${by}, lease_until = ${until}
  where     id in (
              select    id
              from      event_subscriptions
              where     disabled_at is null
              and       (next_attempt_at <= ${at} or next_attempt_at > ${addSeconds(at, furthestSec)})
              and       (lease_until is null or lease_until <= ${at} or lease_until > ${addSeconds(at, furthestSec)})
              order by  next_attempt_at
              limit     ${limit}
              for       no key update skip locked
            )
  returning ${eventSubscriptionColumns(sql)}
`;

const lockLeased =
  (id: EventSubscriptionId, { by, until }: { by: ServiceId; until: Instant }) =>
  (sql: Sql) =>
    sql<EventSubscription[]>`
  update    event_subscriptions
  set       lease_until = ${until}
  where     id = ${id}
  and       leased_by = ${by}
  and       disabled_at is null
  returning ${eventSubscriptionColumns(sql)}
`;

type DueRow = EventDelivery & Omit<OutgoingEvent, "eventId" | "type" | "subjectType" | "subjectId">;

const dueDeliveries = (id: EventSubscriptionId, at: Instant, limit: number) => (sql: Sql) =>
  sql<DueRow[]>`
  select    ${eventDeliveryColumns(sql, "delivery")}, delivery.occurred_at, delivery.company_id, delivery.actor_type,
            delivery.actor_id, delivery.assistant, delivery.run_id, delivery.details, company.name as company_name,
            company.issue_prefix as company_key,
            case delivery.actor_type
              when 'agent' then (select name from agents where id = delivery.actor_id)
              when 'board' then (select name from board_users where id = delivery.actor_id)
            end as actor_name,
            case delivery.subject_type
              when 'issue' then (select title from issues where id = delivery.subject_id)
              when 'agent' then (select name from agents where id = delivery.subject_id)
              when 'heartbeat_run' then (
                select 'a run of ' || agents.name from runs join agents on agents.id = runs.agent_id
                where  runs.id = delivery.subject_id
              )
              when 'routine' then (select title from routines where id = delivery.subject_id)
              when 'project' then (select name from projects where id = delivery.subject_id)
              when 'member' then (select name from board_users where id = delivery.subject_id)
            end as subject_name
  from      event_deliveries delivery
  join      companies company on company.id = delivery.company_id
  where     delivery.subscription_id = ${id}
  and       delivery.is_head
  and       (delivery.next_attempt_at <= ${at} or delivery.next_attempt_at > ${addSeconds(at, furthestSec)})
  order by  delivery.position
  limit     ${limit}
`;

const outgoingOf = ({
  occurredAt,
  companyId,
  companyName,
  companyKey,
  actorType,
  actorId,
  actorName,
  assistant,
  runId,
  subjectName,
  details,
  ...delivery
}: DueRow): OutgoingDelivery => {
  const { eventId, type, subjectType, subjectId } = delivery;
  return {
    ...delivery,
    event: {
      eventId,
      type,
      occurredAt,
      companyId,
      companyName,
      companyKey,
      actorType,
      actorId,
      actorName,
      assistant,
      runId,
      subjectType,
      subjectId,
      subjectName,
      details,
    },
  };
};

const saveAttempts = (deliveries: readonly EventDelivery[]) => (sql: Sql) =>
  sql`
  update  event_deliveries delivery
  set     state = saved.state, is_head = saved.state = 'pending', attempts = saved.attempts,
          first_attempt_at = saved."firstAttemptAt", last_attempt_at = saved."lastAttemptAt",
          next_attempt_at = saved."nextAttemptAt", status = saved.status, answer = saved.answer,
          duration_ms = saved."durationMs"
  from    jsonb_to_recordset(${json(sql, deliveries.map(savedPart))}) as saved (
            id uuid, state text, attempts integer, "firstAttemptAt" timestamptz, "lastAttemptAt" timestamptz,
            "nextAttemptAt" timestamptz, status integer, answer text, "durationMs" integer
          )
  where   delivery.id = saved.id
  and     delivery.state = 'pending'
`;

const savedPart = ({
  id,
  state,
  attempts,
  firstAttemptAt,
  lastAttemptAt,
  nextAttemptAt,
  status,
  answer,
  durationMs,
}: EventDelivery) => ({
  id,
  state,
  attempts,
  firstAttemptAt,
  lastAttemptAt,
  nextAttemptAt,
  status,
  answer,
  durationMs,
});

const abandonPending = (id: EventSubscriptionId) => (sql: Sql) =>
  sql`
  update  event_deliveries
  set     state = 'undelivered', is_head = false, next_attempt_at = null
  where   subscription_id = ${id}
  and     state = 'pending'
`;

const endLease = (id: EventSubscriptionId, dueAt: Instant | null) => (sql: Sql) =>
  sql`
  update  event_subscriptions
  set     leased_by = null, lease_until = null,
          next_attempt_at = ${
            dueAt ??
            sql`(select min(next_attempt_at) from event_deliveries where subscription_id = ${id} and is_head)`
          }
  where   id = ${id}
`;

const deleteBefore = (at: Instant, limit: number) => (sql: Sql) =>
  sql`
  delete from event_deliveries
  where  id in (
           select  id
           from    event_deliveries
           where   state <> 'pending'
           and     created_at < ${at}
           limit   ${limit}
         )
  returning id
`;
