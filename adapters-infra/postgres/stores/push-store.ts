import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { outlivesSessionSec, type PushSubscription } from "../../../core/model/notices/push-subscription.ts";
import type { NoticeId, PushSubscriptionId, UserId } from "../../../core/model/shared/ids.ts";
import { addSeconds, type Instant } from "../../../core/model/shared/instant.ts";
import type {
  PushStore,
  SealedPushSubscription,
  WhichPushSubscription,
} from "../../../ports/stores/push-store.ts";
import { columnsOf } from "../columns-of.ts";
import type { Statements } from "../transaction.ts";

export const pushStore = (tx: Statements): PushStore => ({
  of: (userId, at) => tx.read(liveOf(userId, at)),
  find: (endpointHash) => tx.first(byEndpoint(endpointHash)),
  save: (subscription) =>
    Effect.andThen(tx.write(deleteOthers(subscription)), tx.write(saveSubscription(subscription))),
  delete: (userId, which) =>
    Effect.map(tx.first(deleteSubscription(userId, which)), (deleted) => deleted !== null),
  recordAttempt: (id, at, error) => tx.write(recordAttempt(id, at, error)),
  deliveries: (noticeId) =>
    Effect.map(
      tx.read(deliveriesOf(noticeId)),
      (rows) => new Map(rows.map(({ subscriptionId, version }) => [subscriptionId, version])),
    ),
  saveDelivery: (noticeId, id, version) =>
    tx.write(version === null ? deleteDelivery(noticeId, id) : saveDelivery(noticeId, id, version)),
  deleteEnded: (at, limit) => Effect.map(tx.read(deleteEnded(at, limit)), (rows) => rows.length),
});

/** Of a subscription `s`, its session `session` and its person `person`. */
const isLive = (sql: Sql, at: Instant) => sql`
  session.revoked_at is null
  and session.ends_at > ${addSeconds(at, -outlivesSessionSec)}
  and person.disabled_at is null
  and (s.expires_at is null or s.expires_at > ${at})
`;

const liveOf = (userId: UserId, at: Instant) => (sql: Sql) =>
  sql<(PushSubscription & Pick<SealedPushSubscription, "sealed">)[]>`
  select    s.id, s.user_id, s.session_id, s.sealed, s.created_at, s.last_used_at, s.last_error, session.device
  from      push_subscriptions s
  join      board_tokens session on session.id = s.session_id
  join      board_users person on person.id = s.user_id
  where     s.user_id = ${userId}
  and       ${isLive(sql, at)}
  order by  s.id
`;

const byEndpoint = (endpointHash: Uint8Array) => (sql: Sql) =>
  sql<Pick<SealedPushSubscription, "id" | "userId" | "createdAt">[]>`
  select  id, user_id, created_at
  from    push_subscriptions
  where   endpoint_hash = ${endpointHash}
  for     no key update
`;

/** A browser has one address at a time. What another person had in it is theirs no more. */
const deleteOthers =
  ({ id, sessionId, endpointHash }: SealedPushSubscription) =>
  (sql: Sql) =>
    sql`
  delete from push_subscriptions
  where  (session_id = ${sessionId} or endpoint_hash = ${endpointHash})
  and    id <> ${id}
`;

const subscriptionColumns = columnsOf(
  "id, user_id, session_id, endpoint_hash, sealed, expires_at, created_at",
);

const saveSubscription = (subscription: SealedPushSubscription) => (sql: Sql) =>
  sql`
  insert into push_subscriptions ${subscriptionColumns.values(sql, subscription)}
  on conflict (id) do update
  set    session_id = excluded.session_id, sealed = excluded.sealed, expires_at = excluded.expires_at
`;

const isMeant = (sql: Sql, which: WhichPushSubscription) => {
  if ("id" in which) return sql`id = ${which.id}`;
  return "sessionId" in which
    ? sql`session_id = ${which.sessionId}`
    : sql`endpoint_hash = ${which.endpointHash}`;
};

const deleteSubscription = (userId: UserId, which: WhichPushSubscription) => (sql: Sql) =>
  sql<{ id: PushSubscriptionId }[]>`
  delete from push_subscriptions
  where     user_id = ${userId}
  and       ${isMeant(sql, which)}
  returning id
`;

const recordAttempt = (id: PushSubscriptionId, at: Instant, error: string | null) => (sql: Sql) =>
  sql`
  update  push_subscriptions
  set     last_used_at = case when ${error}::text is null then ${at} else last_used_at end,
          last_error   = ${error}
  where   id = ${id}
`;

const deliveriesOf = (noticeId: NoticeId) => (sql: Sql) =>
  sql<{ subscriptionId: PushSubscriptionId; version: string }[]>`
  select    subscription_id, version
  from      push_deliveries
  where     notice_id = ${noticeId}
  order by  subscription_id
`;

/** Nothing is stored of a subscription that was deleted meanwhile. */
const saveDelivery = (noticeId: NoticeId, id: PushSubscriptionId, version: string) => (sql: Sql) =>
  sql`
  insert into push_deliveries (notice_id, subscription_id, version)
  select  notice.id, subscription.id, ${version}
  from    notices notice, push_subscriptions subscription
  where   notice.id = ${noticeId}
  and     subscription.id = ${id}
  on conflict (notice_id, subscription_id) do update
  set     version = excluded.version
`;

const deleteDelivery = (noticeId: NoticeId, id: PushSubscriptionId) => (sql: Sql) =>
  sql`
  delete from push_deliveries
  where  notice_id = ${noticeId}
  and    subscription_id = ${id}
`;

const deleteEnded = (at: Instant, limit: number) => (sql: Sql) =>
  sql`
  delete from push_subscriptions
  where  id in (
           select    s.id
           from      push_subscriptions s
           join      board_tokens session on session.id = s.session_id
           join      board_users person on person.id = s.user_id
           where     not (${isLive(sql, at)})
           order by  s.id
           limit     ${limit}
         )
  returning id
`;
