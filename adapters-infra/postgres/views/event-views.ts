import type { Sql } from "postgres";
import type { DeliveryState, EventDelivery } from "../../../core/model/events/event-delivery.ts";
import { EventSubscriptionNotFound } from "../../../core/model/events/event-subscription.ts";
import type { CompanyId, EventSubscriptionId } from "../../../core/model/shared/ids.ts";
import type { EventSubscriptionView, EventViews } from "../../../ports/views/event-views.ts";
import { eventDeliveryColumns, eventSubscriptionColumns } from "../columns.ts";
import { byCreation, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { orFail } from "../rows.ts";

export const eventViews = (database: Database): EventViews => ({
  list: (companyId) => database.read(listSubscriptions(companyId)),
  get: (id) => database.first(getSubscription(id)).pipe(orFail(() => new EventSubscriptionNotFound())),
  deliveries: (id, state, page) =>
    readPage(
      database,
      { kind: "event deliveries", of: { id, state } },
      byCreation,
      page,
      listDeliveries(id, state),
    ),
});

const shown = (sql: Sql) => sql`
  ${eventSubscriptionColumns(sql)},
  (
    select  count(*)::int
    from    event_deliveries
    where   subscription_id = event_subscriptions.id
    and     state = 'pending'
  ) as pending,
  (
    select  count(*)::int
    from    event_deliveries
    where   subscription_id = event_subscriptions.id
    and     state = 'undelivered'
  ) as undelivered
`;

const listSubscriptions = (companyId: CompanyId) => (sql: Sql) =>
  sql<EventSubscriptionView[]>`
  select    ${shown(sql)}
  from      event_subscriptions
  where     company_id = ${companyId}
  order by  created_at, id
`;

const getSubscription = (id: EventSubscriptionId) => (sql: Sql) =>
  sql<EventSubscriptionView[]>`
  select  ${shown(sql)}
  from    event_subscriptions
  where   id = ${id}
`;

const listDeliveries =
  (id: EventSubscriptionId, state: DeliveryState | undefined) =>
  (after: readonly [createdAt: string, id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<EventDelivery[]>`
  select    ${eventDeliveryColumns(sql)}
  from      event_deliveries
  where     subscription_id = ${id}
  ${state === undefined ? sql`` : sql`and state = ${state}`}
  ${after === null ? sql`` : sql`and (created_at, id) < (${after[0]}, ${after[1]})`}
  order by  created_at desc, id desc
  limit     ${limit}
`;
