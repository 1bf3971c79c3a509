import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import {
  type DeliveryState,
  type EventDelivery,
  EventDeliveryNotFound,
} from "../../../core/model/events/event-delivery.ts";
import {
  type EventSubscription,
  EventSubscriptionNotFound,
} from "../../../core/model/events/event-subscription.ts";
import type { EventDeliveryId, EventSubscriptionId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { EventStore, SealedSecret } from "../../../ports/stores/event-store.ts";
import { eventDeliveryColumns, eventSubscriptionColumns } from "../columns.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";
import { eventQueue, markHeads } from "./event-queue.ts";

export const eventStore = (tx: Statements): EventStore => ({
  lock: (id) => tx.first(lockSubscription(id)).pipe(orFail(() => new EventSubscriptionNotFound())),
  insert: (subscription, sealed) => tx.write(insertSubscription(subscription, sealed)),
  save: (subscription) => tx.write(saveSubscription(subscription)),
  saveSecret: (subscription, sealed) => tx.write(saveSecret(subscription, sealed)),
  beginWithNext: (id) => tx.write(beginWithNext(id)),
  delete: (id) => tx.write(deleteSubscription(id)),
  secrets: (id) => tx.read(secretsOf(id)),
  lockDelivery: (id) => tx.first(lockDelivery(id)).pipe(orFail(() => new EventDeliveryNotFound())),
  insertTest: (delivery, subscription) =>
    Effect.andThen(
      tx.write(insertTest(delivery, subscription)),
      tx.write(makeDue(subscription.id, delivery.createdAt)),
    ),
  sendAgain: (deliveries) =>
    Effect.forEach(
      deliveries.slice(0, 1),
      ({ subscriptionId, nextAttemptAt }) =>
        tx
          .write(sendAgain(deliveries))
          .pipe(
            Effect.andThen(tx.write(markHeads(subscriptionId, null))),
            Effect.andThen(tx.write(makeDue(subscriptionId, nextAttemptAt!))),
          ),
      { discard: true },
    ),
  listForResend: (id, filter, limit) => tx.read(listForResend(id, filter, limit)),
  ...eventQueue(tx),
});

const lockSubscription = (id: EventSubscriptionId) => (sql: Sql) =>
  sql<EventSubscription[]>`
  select  ${eventSubscriptionColumns(sql)}
  from    event_subscriptions
  where   id = ${id}
  for     no key update
`;

const insertSubscription = (subscription: EventSubscription, sealed: Uint8Array) => (sql: Sql) =>
  sql`
  insert into event_subscriptions (
    id, company_id, url, format, events, sealed, secret_version, after_xid, created_at, updated_at
  )
  values (
    ${subscription.id}, ${subscription.companyId}, ${subscription.url}, ${subscription.format},
    ${[...subscription.events]}, ${sealed}, ${subscription.secretVersion}, pg_snapshot_xmin(pg_current_snapshot()),
    ${subscription.createdAt}, ${subscription.updatedAt}
  )
`;

const savedColumns = eventSubscriptionColumns.without("id, company_id, url, format, created_at");

const saveSubscription = (subscription: EventSubscription) => (sql: Sql) =>
  sql`
  update  event_subscriptions
  set     ${savedColumns.assign(sql, subscription)}
  where   id = ${subscription.id}
`;

const saveSecret = (subscription: EventSubscription, sealed: Uint8Array) => (sql: Sql) =>
  sql`
  update  event_subscriptions
  set     previous_sealed = sealed, sealed = ${sealed}, secret_version = ${subscription.secretVersion},
          previous_secret_until = ${subscription.previousSecretUntil}, updated_at = ${subscription.updatedAt}
  where   id = ${subscription.id}
`;

const beginWithNext = (id: EventSubscriptionId) => (sql: Sql) =>
  sql`
  update  event_subscriptions
  set     after_xid = pg_snapshot_xmin(pg_current_snapshot()), after_position = 0, next_attempt_at = null,
          leased_by = null, lease_until = null
  where   id = ${id}
`;

const deleteSubscription = (id: EventSubscriptionId) => (sql: Sql) =>
  sql`
  delete from event_subscriptions
  where  id = ${id}
`;

const secretsOf = (id: EventSubscriptionId) => (sql: Sql) =>
  sql<SealedSecret[]>`
  select  sealed, secret_version as version
  from    event_subscriptions
  where   id = ${id}
  union all
  select  previous_sealed, secret_version - 1
  from    event_subscriptions
  where   id = ${id}
  and     previous_sealed is not null
`;

const lockDelivery = (id: EventDeliveryId) => (sql: Sql) =>
  sql<EventDelivery[]>`
  with subscription as materialized (
    select  id
    from    event_subscriptions
    where   id = (select subscription_id from event_deliveries where id = ${id})
    for     no key update
  )
  select  ${eventDeliveryColumns(sql, "delivery")}
  from    subscription
  join    event_deliveries delivery on delivery.subscription_id = subscription.id and delivery.id = ${id}
  for     no key update of delivery
`;

const insertTest =
  (
    { id, eventId, type, createdAt, nextAttemptAt }: EventDelivery,
    { id: subscriptionId, companyId }: EventSubscription,
  ) =>
  (sql: Sql) =>
    sql`
  insert into event_deliveries (
    id, company_id, subscription_id, event_id, type, subject_type, subject_id, actor_type, details, occurred_at, state,
    is_head, next_attempt_at, created_at
  )
  values (
    ${id}, ${companyId}, ${subscriptionId}, ${eventId}, ${type}, 'event_subscription', ${eventId}, 'system', '{}',
    ${createdAt}, 'pending', true, ${nextAttemptAt}, ${createdAt}
  )
`;

const makeDue = (id: EventSubscriptionId, at: Instant) => (sql: Sql) =>
  sql`
  update  event_subscriptions
  set     next_attempt_at = ${at}
  where   id = ${id}
`;

const sendAgain = (deliveries: readonly EventDelivery[]) => (sql: Sql) =>
  sql`
  update  event_deliveries delivery
  set     state = 'pending', attempts = 0, first_attempt_at = null, next_attempt_at = ${deliveries[0]!.nextAttemptAt},
          position = next.position
  from    (
            select    id, nextval('stream_positions') as position
            from      (
                        select    id
                        from      unnest(${deliveries.map(({ id }) => id)}::uuid[]) with ordinality as asked (id, nth)
                        order by  nth
                      ) as ordered
          ) as next
  where   delivery.id = next.id
`;

const listForResend =
  (
    id: EventSubscriptionId,
    { from, to, states }: { from: Instant; to: Instant; states: readonly DeliveryState[] },
    limit: number,
  ) =>
  (sql: Sql) =>
    sql<EventDelivery[]>`
  select    ${eventDeliveryColumns(sql)}
  from      event_deliveries
  where     subscription_id = ${id}
  and       state = any(${[...states]}::text[])
  and       state <> 'pending'
  and       created_at >= ${from}
  and       created_at < ${to}
  order by  position
  limit     ${limit}
`;
