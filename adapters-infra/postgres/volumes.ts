import type { Sql } from "postgres";
import { localRunner } from "../../core/model/agents/volume.ts";
import type { ServiceId } from "../../core/model/shared/ids.ts";
import type { ClaimScope } from "../../ports/stores/run-store.ts";
import type { WorkspaceView } from "../../ports/views/volume-views.ts";
import { namedRunner } from "./facts.ts";
import { fromJsonRow, type JsonRow } from "./json-rows.ts";

/**
 * Whether the term of `volumes volume` has passed. A service whose own lease has ended cannot tell: it or the database
 * was away, and with it perhaps the others.
 */
export const isAbandoned = (sql: Sql, serviceId: ServiceId) => sql`
  (
    coalesce(volume.abandoned_at < now(), true)
    and exists (select from services where services.id = ${serviceId} and services.lease_until >= now())
  )
`;

/** Whether a live service holds `volumes volume`. */
export const isReachable = (sql: Sql) => sql`
  exists (
    select
    from   services
    where  services.volume = volume.id
    and    services.lease_until >= now()
  )
`;

/** For `workspaceOf`. */
export const workspaceFrom = (row: JsonRow | null): WorkspaceView | null =>
  row === null ? null : workspaceIn(row);

const workspaceIn = fromJsonRow<WorkspaceView>({ since: true, lastSeenAt: true, givenUpAt: true });

/** The row of `workspaceFrom`, of `agents a` and `volumes volume`, the agent's; null where it has none. */
export const workspaceOf = (sql: Sql) => sql`
  case
    when volume.id is not null
    then jsonb_build_object(
           'volume', volume.id, 'host', volume.host, 'since', a.volume_since, 'reachable', ${isReachable(sql)},
           'last_seen_at', volume.seen_at,
           'given_up_at', case when not ${isReachable(sql)} then volume.abandoned_at end
         )
  end
`;

/**
 * `locateFiles` of the core as a condition on `agents agent`, `companies company` and `volumes volume`, the agent's:
 * whether the service must leave the agent to others.
 */
export const isElsewhere = (
  sql: Sql,
  { serviceId, volume, defaultRunner, typesWithoutFiles }: ClaimScope,
) => sql`
  (
    coalesce(agent.volume <> ${volume}, false)
    and agent.adapter_type <> all(${typesWithoutFiles}::text[])
    and coalesce(${namedRunner(sql, { agent: sql`agent`, company: sql`company` })}, ${defaultRunner}) = ${localRunner}
    and not ${isAbandoned(sql, serviceId)}
  )
`;
