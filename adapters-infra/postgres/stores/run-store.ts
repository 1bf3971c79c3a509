import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Run, RunNotFound } from "../../../core/model/runs/run.ts";
import { liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import type { AgentId, IssueId, RunId, VolumeId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { RunPlacement } from "../../../ports/process-runner.ts";
import type { Actionable } from "../../../ports/stores/issue-store.ts";
import type {
  LostRun,
  ProcessOfRun,
  RunEvent,
  RunMove,
  RunStart,
  RunStore,
  StoredRunEnd,
  TakeOver,
} from "../../../ports/stores/run-store.ts";
import { runColumns } from "../columns.ts";
import { columnsOf } from "../columns-of.ts";
import { setOf } from "../facts.ts";
import { json, orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";
import { holdAccount, saveWindows } from "./account-limits.ts";
import { lockCandidates } from "./run-candidates.ts";
import { quarantineRun, releaseRuns } from "./run-quarantine.ts";
import {
  clearSession,
  findSessions,
  forgetSessions,
  previousInSession,
  saveSession,
} from "./run-sessions.ts";
import { requestStop } from "./run-stops.ts";

export const runStore = (tx: Statements): RunStore => ({
  lock: (id) => tx.first(lockRun(id)).pipe(orFail(() => new RunNotFound())),
  lockAll: (ids) => tx.read(lockRuns(ids)),
  lockLive: (agentId, issueId) => tx.first(lockLiveRun(agentId, issueId)),
  isActive: (id) => tx.first(holdLiveRun(id)).pipe(Effect.map((run) => run !== null)),
  mayWrite: (id) =>
    tx
      .first(holdLiveRun(id))
      .pipe(Effect.map((run) => (run === null ? "ended" : run.isStopping ? "stopping" : "yes"))),
  lockLiveAmong: (ids) => Effect.map(tx.read(lockLiveAmong(ids)), (runs) => runs.map(({ id }) => id)),
  isRunningOn: (agentId, volume) =>
    tx.first(runningOn(agentId, volume)).pipe(Effect.map((run) => run !== null)),
  latestOn: (agentId, issueIds) =>
    issueIds.length === 0 ? Effect.succeed([]) : tx.read(latestRunsOn(agentId, issueIds)),
  startedOn: (issues, since) =>
    Effect.map(tx.read(startedOn(issues, since)), (found) => new Set(found.map(({ issueId }) => issueId))),
  lockCandidates: lockCandidates(tx),
  start: (starts, at) => tx.write(startRuns(starts, at)),
  recordProcesses: (of, at) => tx.write(recordProcesses(of, at)),
  recordCapabilities: (id, takesInterrupt) => tx.write(recordCapabilities(id, takesInterrupt)),
  recordToolsListed: (id, at) => tx.write(recordToolsListed(id, at)),
  recordPlacement: (id, placement, at) => tx.write(recordPlacement(id, placement, at)),
  requestStop: (which, reason, at) => tx.read(requestStop(which, reason, at)),
  end: (ids, runEnd) => tx.writeEvent(endRuns(ids, runEnd)),
  appendEvents: (events) => tx.writeEvent(appendRunEvents(events)),
  sessions: (tasks) => tx.read(findSessions(tasks)),
  saveSession: (session) => tx.write(saveSession(session)),
  previousInSession: (id) => tx.first(previousInSession(id)),
  clearSession: (agentId, adapterType, taskKey) => tx.write(clearSession(agentId, adapterType, taskKey)),
  quarantine: (id, kind, at) => tx.write(quarantineRun(id, kind, at)),
  release: (which, at) => tx.write(releaseRuns(which, at)),
  holdAccount: (hold) => tx.write(holdAccount(hold)),
  saveWindows: (report) => tx.write(saveWindows(report)),
  handToAdapter: (agentId, adapterType, at) => tx.write(handToAdapter(agentId, adapterType, at)),
  forgetSessions: (agentId, volume) =>
    tx.read(forgetSessions(agentId, volume)).pipe(Effect.map(({ length }) => length)),
  lost: (by) => tx.read(lostRuns(by)),
  moveTo: (move, at) => tx.read(moveRuns(move, at)),
});

const startedOn = (issues: readonly Actionable[], since: Instant) => (sql: Sql) =>
  sql<{ issueId: IssueId }[]>`
  select    distinct runs.issue_id
  from      unnest(
              ${issues.map(({ id }) => id)}::uuid[],
              ${issues.map(({ assigneeAgentId }) => assigneeAgentId)}::uuid[]
            ) as issue (id, assignee_agent_id)
  join      runs on runs.issue_id = issue.id and runs.agent_id = issue.assignee_agent_id
  where     runs.started_at >= ${since}
`;

const lockRun = (id: RunId) => (sql: Sql) =>
  sql<Run[]>`
  select  ${runColumns(sql)}
  from    runs
  where   id = ${id}
  for     no key update
`;

const lockRuns = (ids: readonly RunId[]) => (sql: Sql) =>
  sql<Run[]>`
  select    ${runColumns(sql)}
  from      runs
  where     id = any(${ids}::uuid[])
  order by  id
  for       no key update
`;

const lockLiveRun = (agentId: AgentId, issueId: IssueId | null) => (sql: Sql) =>
  sql<Run[]>`
  select  ${runColumns(sql)}
  from    runs
  where   agent_id = ${agentId}
  and     issue_id is not distinct from ${issueId}::uuid
  and     status in ${setOf(sql, liveRunStatuses)}
  for     no key update
`;

const latestRunsOn = (agentId: AgentId, issueIds: readonly IssueId[]) => (sql: Sql) =>
  sql<Run[]>`
  select      latest.*
  from        unnest(${issueIds}::uuid[]) as asked (issue_id)
  cross join  lateral (
    select    ${runColumns(sql)}
    from      runs
    where     runs.issue_id = asked.issue_id
    and       runs.agent_id = ${agentId}
    order by  runs.id desc
    limit     1
  ) as latest
`;

const holdLiveRun = (id: RunId) => (sql: Sql) =>
  sql<{ isStopping: boolean }[]>`
  select  stop_requested_at is not null as is_stopping
  from    runs
  where   id = ${id}
  and     status in ${setOf(sql, liveRunStatuses)}
  for     share
`;

const lockLiveAmong = (ids: readonly RunId[]) => (sql: Sql) =>
  sql<{ id: RunId }[]>`
  select    id
  from      runs
  where     id = any(${ids}::uuid[])
  and       status in ${setOf(sql, liveRunStatuses)}
  order by  id
  for       no key update
`;

const runningOn = (agentId: AgentId, volume: VolumeId) => (sql: Sql) =>
  sql<{ id: RunId }[]>`
  select  id
  from    runs
  where   agent_id = ${agentId}
  and     volume = ${volume}
  and     status = 'running'
  limit   1
`;

const startRuns = (starts: readonly RunStart[], at: Instant) => (sql: Sql) =>
  sql`
  update  runs
  set     status            = 'running',
          service_id        = started.service_id,
          runner            = started.runner,
          scope             = started.scope,
          volume            = started.volume,
          quarantined_since = null,
          quarantined_for   = null,
          session_id_before = started.session_id_before,
          started_at        = ${at},
          updated_at        = ${at}
  from    unnest(
            ${starts.map(({ runId }) => runId)}::uuid[],
            ${starts.map(({ by }) => by.serviceId)}::uuid[],
            ${starts.map(({ by }) => by.runner)}::text[],
            ${starts.map(({ by }) => by.scope)}::text[],
            ${starts.map(({ by }) => by.volume)}::text[],
            ${starts.map(({ sessionIdBefore }) => sessionIdBefore)}::text[]
          ) as started (id, service_id, runner, scope, volume, session_id_before)
  where   runs.id = started.id
  and     runs.status = 'queued'
`;

const recordProcesses = (of: readonly ProcessOfRun[], at: Instant) => (sql: Sql) =>
  sql`
  update  runs
  set     process    = noted.process,
          updated_at = ${at}
  from    jsonb_to_recordset(${json(sql, of)}) as noted ("runId" uuid, process jsonb)
  where   runs.id = noted."runId"
  and     runs.status = 'running'
`;

const recordPlacement =
  (id: RunId, { node, waitsFor }: RunPlacement, at: Instant) =>
  (sql: Sql) =>
    sql`
  update  runs
  set     node       = ${node},
          waits_for  = ${waitsFor},
          updated_at = ${at}
  where   id = ${id}
  and     status = 'running'
`;

const recordCapabilities = (id: RunId, takesInterrupt: boolean) => (sql: Sql) =>
  sql`
  update  runs
  set     takes_messages  = true,
          takes_interrupt = ${takesInterrupt}
  where   id = ${id}
  and     status = 'running'
`;

const recordToolsListed = (id: RunId, at: Instant) => (sql: Sql) =>
  sql`
  update  runs
  set     tools_listed_at = ${at}
  where   id = ${id}
  and     status = 'running'
  and     tools_listed_at is null
`;

const endColumns = columnsOf(`
  status, waits_for, error_code, error, exit_code, signal, last_output, summary, result jsonb, usage jsonb, cost_cents,
  session_id_after, finished_at, updated_at
`);

const endRuns = (ids: readonly RunId[], runEnd: StoredRunEnd) => (sql: Sql) =>
  sql`
  with ended as (
    update    runs
    set       ${endColumns.assign(sql, { ...runEnd, waitsFor: null, finishedAt: runEnd.at, updatedAt: runEnd.at })}
    where     id = any(${ids}::uuid[])
    and       status in ${setOf(sql, liveRunStatuses)}
    returning id, company_id, agent_id, issue_id
  )
  insert into run_events (company_id, run_id, seq, type, level, message, payload, created_at)
  select  company_id, id, 1 + coalesce((select max(seq) from run_events where run_id = ended.id), 0), 'lifecycle',
          ${runEnd.line.level}, ${runEnd.line.message},
          jsonb_build_object(
            'status', ${runEnd.status}::text, 'errorCode', ${runEnd.errorCode}::text, 'agentId', agent_id,
            'issueId', issue_id
          ),
          ${runEnd.at}
  from    ended
`;

/** Numbers without gaps: the lock of a run serialises the writers of its events. */
const appendRunEvents = (events: readonly RunEvent[]) => (sql: Sql) =>
  sql`
  insert into run_events (company_id, run_id, seq, type, level, message, payload, created_at)
  select  event."companyId", event."runId",
          coalesce((select max(seq) from run_events where run_id = event."runId"), 0)
            + row_number() over (partition by event."runId" order by event.nth),
          event.type, event.level, event.message, coalesce(event.payload, '{}'), event.at
  from    rows from (
            jsonb_to_recordset(${json(sql, events)}) as (
              "companyId" uuid, "runId" uuid, type text, level text, message text, payload jsonb, at timestamptz
            )
          ) with ordinality as event ("companyId", "runId", type, level, message, payload, at, nth)
`;

const handToAdapter = (agentId: AgentId, adapterType: string, at: Instant) => (sql: Sql) =>
  sql`
  update  runs
  set     adapter_type = ${adapterType},
          updated_at   = ${at}
  where   agent_id     = ${agentId}
  and     status       = 'queued'
`;

/** Leaves runs to a live service with their scope, which can end their processes. */
const lostRuns =
  ({ scopes, leaseEndedBy }: TakeOver) =>
  (sql: Sql) =>
    sql<LostRun[]>`
  select    ${runColumns(sql)}, coalesce(scope = any(${scopes}::text[]), false) as is_reachable
  from      runs
  where     status = 'running'
  and       not exists (
              select
              from   services
              where  services.id = runs.service_id
              and    (
                       services.lease_until + make_interval(secs => services.handover_sec) >= ${leaseEndedBy}
                       or ${leaseEndedBy}::timestamptz is null
                     )
            )
  and       (
              scope = any(${scopes}::text[])
              or not exists (
                select
                from   services
                where  runs.scope = any(services.scopes)
                and    services.lease_until >= now()
              )
            )
  order by  id
`;

const moveRuns =
  ({ from, to, among }: RunMove, at: Instant) =>
  (sql: Sql) =>
    sql<Run[]>`
  with meant as (
    select    id
    from      runs
    where     service_id = ${from}
    and       status = 'running'
    and       id = any(${among}::uuid[])
    order by  id
    for       no key update
  ),
  moved as (
    update    runs
    set       service_id = ${to},
              updated_at = ${at}
    from      meant
    where     runs.id = meant.id
    returning runs.*
  )
  select  ${runColumns(sql)}
  from    moved
`;
