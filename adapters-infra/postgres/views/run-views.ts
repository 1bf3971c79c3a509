import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import { interruptGraceSec, type Run, RunDetailsDeleted, RunNotFound } from "../../../core/model/runs/run.ts";
import { failedRunStatuses, hasFailed, liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import type { RunId, ServiceId, WakeId } from "../../../core/model/shared/ids.ts";
import { addSeconds, type Instant } from "../../../core/model/shared/instant.ts";
import type { Clock } from "../../../ports/clock.ts";
import type {
  LogSegmentView,
  RequestedStop,
  RunEventView,
  RunFilter,
  RunInDetail,
  RunRecord,
  RunView,
  RunViews,
  WakeOutcomeView,
} from "../../../ports/views/run-views.ts";
import { runColumns, runView } from "../columns.ts";
import { byId, byNumber, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { DatabaseFailure } from "../database-failure.ts";
import { namedRunner, openPermissionRequests, setOf } from "../facts.ts";
import { isHeldAsRestored } from "../holds.ts";
import { idleFacts } from "../idle-issues.ts";
import { fromJsonRow, type JsonRow } from "../json-rows.ts";
import { orFail } from "../rows.ts";
import { workspaceFrom, workspaceOf } from "../volumes.ts";
import { messageById, messagesFor, messagesOf } from "./run-messages.ts";
import { recentRuns, runPulse } from "./run-pulse.ts";
import { runTask } from "./run-task.ts";

export const runViews = (database: Database, clock: Clock): RunViews => ({
  list: (filter, page) =>
    readPage(database, { kind: "runs", of: { ...filter } }, byId, page, listRuns(filter)),
  pulse: (companyId, since) => runPulse(database, companyId, since, clock.now()),
  recent: (companyId, since) => recentRuns(database, companyId, since),
  get: (id) => readRun(database, clock, id),
  ofWake: (id) =>
    database
      .lookUp(wakeOutcome(id))
      .pipe(
        Effect.flatMap((row) =>
          row === null ? Effect.die(new DatabaseFailure(`There is no wake ${id}.`)) : Effect.succeed(row),
        ),
      ),
  requireDetails: (id) =>
    database
      .lookUp(deletedDetails(id))
      .pipe(Effect.flatMap((row) => (row === null ? Effect.void : Effect.fail(new RunDetailsDeleted())))),
  events: (runId, afterSeq, page) =>
    readPage(
      database,
      { kind: "run events", of: { runId, afterSeq } },
      byNumber<RunEventView>(({ seq }) => seq),
      page,
      (after, limit) => runEvents(runId, Math.max(afterSeq, after?.[0] ?? 0), limit),
    ),
  logSegments: (runId, offset, limitBytes) => database.read(logSegments(runId, offset, limitBytes)),
  task: (runId) => runTask(database, runId),
  causedBy: (runId) => Effect.map(database.lookUp(tracedCause(runId)), (row) => row?.traceparent ?? null),
  toolsListed: (runId) => Effect.map(database.lookUp(toolsListed(runId)), (row) => row !== null),
  stopsRequested: (serviceId) =>
    Effect.suspend(() =>
      database.read(stopsRequested(serviceId, addSeconds(clock.now(), -interruptGraceSec))),
    ),
  messagesFor: (ids) => database.read(messagesFor(ids)),
  messages: (runId, page) =>
    readPage(database, { kind: "run messages", of: { runId } }, byId, page, messagesOf(runId)),
  message: (id) =>
    database
      .lookUp(messageById(id))
      .pipe(
        Effect.flatMap((row) =>
          row === null ? Effect.die(new DatabaseFailure(`There is no message ${id}.`)) : Effect.succeed(row),
        ),
      ),
  supervisedBy: (serviceId) => database.read(runsSupervisedBy(serviceId)),
  endedAmong: (ids) =>
    ids.length === 0
      ? Effect.succeed([])
      : database.read(endedRuns(ids)).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
});

const agentOf = fromJsonRow<RunInDetail["agent"]>({
  heldManuallyAt: true,
  heldByBudgetAt: true,
  companyHeldByBudgetAt: true,
});
const situationOf = fromJsonRow<RunInDetail["situation"]>({
  accountHeldUntil: true,
  next: { quarantinedSince: true },
  projectHeldByBudgetAt: true,
});
const wakeOf = fromJsonRow<RunRecord["wakes"][number]>({ createdAt: true });
const issueOf = fromJsonRow<NonNullable<RunInDetail["issue"]>>({});

const readRun = (database: Database, clock: Clock, id: RunId) =>
  Effect.suspend(() => {
    const at = clock.now();
    return database.first(getRun(id, at)).pipe(
      orFail(() => new RunNotFound()),
      Effect.map(
        ({ wakeRows, agentFacts, issueFacts, situation, workspaceRow, ...row }): RunInDetail => ({
          run: { ...row, workspace: workspaceFrom(workspaceRow), wakes: wakeRows.map(wakeOf) },
          agent: agentOf(agentFacts),
          issue: issueFacts === null ? null : issueOf(issueFacts),
          situation: situationOf(situation),
          at,
        }),
      ),
    );
  });

/**
 * Reads the newest of each requested status, then the newest of those: each status uses an index in order. Those that
 * ended in a period are few, and an index has the failed ones by their ends.
 */
const listRuns =
  (filter: RunFilter) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) => {
    const of = (status: Fragment) => sql`
    select    id
    from      runs
    where     company_id = ${filter.companyId}
    ${filter.agentId === undefined ? sql`` : sql`and agent_id = ${filter.agentId}`}
    ${filter.issueId === undefined ? sql`` : sql`and issue_id = ${filter.issueId}`}
    ${filter.errorCode === undefined ? sql`` : sql`and error_code = ${filter.errorCode}`}
    ${filter.from === undefined ? sql`` : sql`and created_at >= ${filter.from}`}
    ${filter.to === undefined ? sql`` : sql`and created_at < ${filter.to}`}
    ${filter.finishedFrom === undefined ? sql`` : sql`and finished_at >= ${filter.finishedFrom}`}
    ${filter.finishedTo === undefined ? sql`` : sql`and finished_at < ${filter.finishedTo}`}
    ${status}
    ${after === null ? sql`` : sql`and id < ${after[0]}`}
    order by  id desc
    limit     ${limit}
  `;
    return sql<RunView[]>`
    with page as (
      ${
        filter.statuses === undefined
          ? of(sql``)
          : filter.finishedFrom !== undefined || filter.finishedTo !== undefined
            ? of(sql`
                and status = any(${[...filter.statuses]}::text[])
                ${filter.statuses.every(hasFailed) ? sql`and status in ${setOf(sql, failedRunStatuses)}` : sql``}
              `)
            : sql`
              select      found.id
              from        unnest(${[...new Set(filter.statuses)]}::text[]) as asked (status)
              cross join  lateral (${of(sql`and status = asked.status`)}) as found
              order by    found.id desc
              limit       ${limit}
            `
      }
    )
    select    ${runView(sql)}
    from      page
    join      runs r on r.id = page.id
    join      agents a on a.id = r.agent_id
    left join issues i on i.id = r.issue_id
    order by  r.id desc
  `;
  };

interface RunDetailRow extends Omit<RunRecord, "wakes" | "workspace"> {
  readonly wakeRows: readonly JsonRow[];
  readonly situation: JsonRow;
  readonly workspaceRow: JsonRow | null;
  readonly agentFacts: JsonRow;
  readonly issueFacts: JsonRow | null;
}

const getRun = (id: RunId, at: Instant) => (sql: Sql) =>
  sql<RunDetailRow[]>`
  select    ${runView(sql)}, r.context, r.service_id,
            coalesce(r.runner, ${namedRunner(sql, { agent: sql`a`, company: sql`c` })}) as runner, r.scope as reach, r.node, r.waits_for, r.process,
            r.takes_messages, r.takes_interrupt, r.last_output, r.result,
            ${workspaceOf(sql)} as workspace_row,
            r.details_deleted_at,
            (
              select  coalesce(
                        jsonb_agg(
                          jsonb_build_object('id', asked.id, 'issueId', asked.issue_id) order by asked.id
                        ),
                        '[]'
                      )
              from    ${openPermissionRequests(sql, sql`r`)}
            ) as permission_requests,
            (
              select  coalesce(
                        jsonb_agg(
                          jsonb_build_object(
                            'id', w.id, 'reason', w.reason, 'status', w.status, 'end_reason', w.end_reason,
                            'created_at', w.created_at
                          )
                          order by w.created_at, w.id
                        ),
                        '[]'
                      )
              from    wakes w
              where   w.run_id = r.id
            ) as wake_rows,
            jsonb_build_object(
              'status', r.status,
              'stop_requested', r.stop_requested_at is not null,
              'waits_for_person', exists (select from ${openPermissionRequests(sql, sql`r`)}),
              'account_held_until', (
                select  not_before
                from    account_holds
                where   account_holds.adapter_type = r.adapter_type
                and     account_holds.account_key = a.account
                and     not_before > ${at}
              ),
              'waiting', (
                select  count(*)
                from    wakes w
                where   w.status = 'pending'
                and     w.agent_id = r.agent_id
                and     w.issue_id is not distinct from r.issue_id
                and     w.run_id is null
              ),
              'next', (
                select    jsonb_build_object(
                            'id', later.id, 'status', later.status, 'reason', later.wake_reason,
                            'quarantinedSince', later.quarantined_since
                          )
                from      runs later
                where     later.agent_id = r.agent_id
                and       later.issue_id is not distinct from r.issue_id
                and       later.id > r.id
                order by  later.id
                limit     1
              ),
              'is_held_as_restored', ${isHeldAsRestored(sql)},
              'unfinished_issue', case
                when i.status = 'in_progress' and i.assignee_agent_id = r.agent_id and i.checkout_run_id is null
                then ${idleFacts(sql, sql`i`, at)}
              end,
              'project_held_by_budget_at', (select held_by_budget_at from projects where projects.id = i.project_id)
            ) as situation,
            case when i.id is not null then
              jsonb_build_object('status', i.status, 'assignee_agent_id', i.assignee_agent_id)
            end as issue_facts,
            jsonb_build_object(
              'id', a.id, 'lifecycle_state', a.lifecycle_state, 'held_manually_at', a.held_manually_at, 'held_by_budget_at', a.held_by_budget_at,
              'company_held_by_budget_at', c.held_by_budget_at, 'company_status', c.status,
              'runtime_config', a.runtime_config
            ) as agent_facts
  from      runs r
  join      agents a on a.id = r.agent_id
  join      companies c on c.id = r.company_id
  left join issues i on i.id = r.issue_id
  left join volumes volume on volume.id = a.volume
  where     r.id = ${id}
`;

const wakeOutcome = (id: WakeId) => (sql: Sql) =>
  sql<WakeOutcomeView[]>`
  select    w.id as wake_id, w.run_id as id, w.agent_id, w.issue_id, w.created_at,
            case
              when r.id is not null then r.status
              when w.status = 'pending' then 'deferred'
              else w.status
            end as status
  from      wakes w
  left join runs r on r.id = w.run_id
  where     w.id = ${id}
`;

const tracedCause = (runId: RunId) => (sql: Sql) =>
  sql<{ readonly traceparent: string | null }[]>`
  select    traceparent
  from      wakes
  where     run_id = ${runId}
  order by  created_at, id
  limit     1
`;

const toolsListed = (runId: RunId) => (sql: Sql) =>
  sql<{ readonly id: string }[]>`
  select  id
  from    runs
  where   id = ${runId}
  and     tools_listed_at is not null
`;

const deletedDetails = (id: RunId) => (sql: Sql) =>
  sql<{ id: RunId }[]>`
  select  id
  from    runs
  where   id = ${id}
  and     details_deleted_at is not null
`;

const runEvents = (runId: RunId, afterSeq: number, limit: number) => (sql: Sql) =>
  sql<RunEventView[]>`
  select    run_id, seq, type, level, message, payload, created_at
  from      run_events
  where     run_id = ${runId}
  and       seq > ${afterSeq}
  order by  seq
  limit     ${limit}
`;

/** Starts with the segment that contains the offset. The bound of `byte_offset` alone ends the search in the index. */
const logSegments = (runId: RunId, offset: number, limitBytes: number) => (sql: Sql) =>
  sql<LogSegmentView[]>`
  select    byte_offset, bytes, blob_key
  from      run_log_segments
  where     run_id = ${runId}
  and       byte_offset + bytes > ${offset}::bigint
  and       byte_offset >= coalesce(
              (
                select  max(byte_offset)
                from    run_log_segments
                where   run_id = ${runId}
                and     byte_offset <= ${offset}::bigint
              ),
              0
            )
  and       byte_offset <= ${offset}::bigint + ${limitBytes}::bigint
  and       (byte_offset <= ${offset}::bigint or byte_offset + bytes <= ${offset}::bigint + ${limitBytes}::bigint)
  order by  byte_offset
  limit     1000
`;

const stopsRequested = (serviceId: ServiceId, overdue: Instant) => (sql: Sql) =>
  sql<RequestedStop[]>`
  select    id, stop_reason as reason, stop_reason <> 'turn_interrupted' or stop_requested_at < ${overdue} as is_overdue
  from      runs
  where     service_id = ${serviceId}
  and       status = 'running'
  and       stop_requested_at is not null
  order by  id
`;

const runsSupervisedBy = (serviceId: ServiceId) => (sql: Sql) =>
  sql<Run[]>`
  select    ${runColumns(sql)}
  from      runs
  where     service_id = ${serviceId}
  and       status = 'running'
  order by  id
`;

const endedRuns = (ids: readonly RunId[]) => (sql: Sql) =>
  sql<{ id: RunId }[]>`
  select  id
  from    runs
  where   id = any(${ids}::uuid[])
  and     status not in ${setOf(sql, liveRunStatuses)}
`;
