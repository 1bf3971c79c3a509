import type { Sql } from "postgres";
import type { LoopKind } from "../../../core/model/runs/loop-breaker.ts";
import type { QuarantinedRuns } from "../../../core/model/runs/quarantine.ts";
import type { RunId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";

export const quarantineRun = (id: RunId, kind: LoopKind, at: Instant) => (sql: Sql) =>
  sql`
  update  runs
  set     quarantined_since = ${at},
          quarantined_for   = ${kind},
          updated_at        = ${at}
  where   id = ${id}
  and     status = 'queued'
`;

/**
 * Locks all queued runs that it concerns, in the order of their ids, quarantined or not: one that a claim has locked may be
 * quarantined by the time that the lock is free, and the claim has not seen this act. A claim skips those that it finds locked;
 * the notification makes it look again. Each kind is searched for on its own: each has its index.
 */
export const releaseRuns = (which: readonly QuarantinedRuns[], at: Instant) => (sql: Sql) =>
  sql`
  with concerned as materialized (
    ${which.map((one) => queuedRuns(one)(sql)).reduce((some, more) => sql`${some} union all ${more}`)}
  ),
  locked as materialized (
    select    id, quarantined_since, quarantined_for
    from      runs
    where     id = any(array(select id from concerned))
    and       status = 'queued'
    order by  id
    for       no key update
  ),
  released as (
    update  runs
    set     quarantined_since = null,
            quarantined_for   = null,
            updated_at        = ${at}
    from    locked
    where   runs.id = locked.id
    and     locked.quarantined_since is not null
    and     exists (
              select
              from   concerned
              where  concerned.id = locked.id
              and    coalesce(concerned.quarantined_for = locked.quarantined_for, true)
            )
  )
  select  pg_notify('boardroom_work', '')
  where   exists (select from locked)
`;

const queuedRuns =
  ({ companyId, issueId, agentId, quarantinedFor, causedOn }: QuarantinedRuns) =>
  (sql: Sql) =>
    sql`
    select  id, ${quarantinedFor ?? null}::text as quarantined_for
    from    runs
    where   status = 'queued'
    ${companyId === undefined ? sql`` : sql`and company_id = ${companyId}`}
    ${issueId === undefined ? sql`` : sql`and issue_id = ${issueId}`}
    ${agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`}
    ${
      causedOn === undefined
        ? sql``
        : sql`
    and     agent_id in (
              select  agent_id
              from    runs caused
              where   caused.issue_id = ${causedOn.issueId}
              and     caused.caused_by_agents
              and     caused.started_at > ${causedOn.since}
            )
    `
    }
`;
