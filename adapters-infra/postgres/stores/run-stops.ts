import type { Fragment, Sql } from "postgres";
import type { Run, StopReason } from "../../../core/model/runs/run.ts";
import { liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { LiveRuns } from "../../../ports/stores/run-store.ts";
import { runColumns } from "../columns.ts";
import { setOf } from "../facts.ts";

/** An interrupt lets the program end by itself; any other reason ends it. */
const hasNoStop = (sql: Sql, run: Fragment, reason: StopReason) => sql`
  (${run}.stop_requested_at is null or (${run}.stop_reason = 'turn_interrupted' and ${reason} <> 'turn_interrupted'))
`;

/** Reads `runs run`. */
const isMeant = (sql: Sql, which: LiveRuns) => sql`
      (${which.agentId ?? null}::uuid is null or run.agent_id = ${which.agentId ?? null}::uuid)
  and (${which.companyId ?? null}::uuid is null or run.company_id = ${which.companyId ?? null}::uuid)
  and (
        ${which.projectId ?? null}::uuid is null
        or run.issue_id in (select id from issues where project_id = ${which.projectId ?? null}::uuid)
      )
  and (${which.issueId ?? null}::uuid is null or run.issue_id = ${which.issueId ?? null}::uuid)
  and (${which.runId ?? null}::uuid is null or run.id = ${which.runId ?? null}::uuid)
  and (${which.serviceId ?? null}::uuid is null or run.service_id = ${which.serviceId ?? null}::uuid)
  and run.id <> all(${which.outlive ?? []}::uuid[])
  and (${which.except ?? null}::uuid is null or run.id <> ${which.except ?? null}::uuid)
`;

/**
 * The first reason stays, but that of an interrupt. Locks the runs before it changes them, so that a run claimed meanwhile is seen as running.
 */
export const requestStop = (which: LiveRuns, reason: StopReason, at: Instant) => (sql: Sql) =>
  sql<Run[]>`
  with meant as (
    select    run.id
    from      runs run
    where     run.status in ${setOf(sql, liveRunStatuses)}
    and       ${hasNoStop(sql, sql`run`, reason)}
    and       ${isMeant(sql, which)}
    order by  run.id
    for       no key update
  ),
  requested as (
    update    runs
    set       stop_requested_at = ${at},
              stop_reason       = ${reason},
              updated_at        = ${at}
    from      meant
    where     runs.id = meant.id
    and       runs.status in ${setOf(sql, liveRunStatuses)}
    and       ${hasNoStop(sql, sql`runs`, reason)}
    returning runs.*
  )
  select  ${runColumns(sql)}
  from    requested
  where   pg_notify('boardroom_work', '')::text is not null
`;
