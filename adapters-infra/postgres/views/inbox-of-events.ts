import type { Sql } from "postgres";
import { entryOf } from "./inbox-columns.ts";

/** Event subscriptions that the service has disabled. Reads `r`. */
export const disabledSubscriptions = (sql: Sql) => sql`
  select  ${entryOf(sql, {
    kind: sql`'unsent_events'`,
    subject: "event_subscription",
    id: sql`subscription.id`,
    title: sql`subscription.url`,
    detail: sql`jsonb_build_object('error', nullif(subscription.last_error, ''))`,
    since: sql`subscription.disabled_at`,
    version: sql`subscription.disabled_at`,
  })}
  from    r
  join    event_subscriptions subscription
          on subscription.company_id = r.company_id and subscription.disabled_because <> 'person'
  where   r.name = 'operator'
`;
