import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { holdRules, runEndsOfHolds, wakeEndsOfHolds } from "../../../core/model/agents/holds.ts";
import { budgetHoldsFrom } from "../../../core/model/costs/budget.ts";
import { chainOf, loopWindowStart, uncountedReasons } from "../../../core/model/runs/loop-breaker.ts";
import type { RunMessage } from "../../../core/model/runs/messages/run-message.ts";
import type { Wake, WakeRequest } from "../../../core/model/runs/wake.ts";
import { consumedStatuses } from "../../../core/model/runs/wake.ts";
import {
  commentReasons,
  retryReasons,
  type WakeReason,
  wakeReasons,
} from "../../../core/model/runs/wake-reason.ts";
import type { AgentId, CompanyId, IssueId, RunId, WakeId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { CutOffWake, WakeStore, WakesOf, WorkOnHold } from "../../../ports/stores/wake-store.ts";
import { setOf } from "../facts.ts";
import { budgetHolds, noOtherBudgetStops } from "../holds.ts";
import { actorRow, json } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const wakeStore = (tx: Statements): WakeStore => ({
  add: (request) =>
    tx
      .write(addWaitingWake(request))
      .pipe(
        Effect.andThen(tx.write(joinQueuedRun(request.agent.id, request.issueId, request.runId, request.at))),
      ),
  addSkipped: (request, reason) => tx.write(addSkippedWake(request, reason)),
  endStarted: (runIds, at) => tx.write(endStartedWakes(runIds, at)),
  cancelPending: (of, reason, at) => tx.write(cancelPendingWakes(of, reason, at)),
  waitingTicks: (agentIds) =>
    agentIds.length === 0
      ? Effect.succeed([])
      : Effect.map(tx.read(waitingTicks(agentIds)), (rows) => rows.map(({ agentId }) => agentId)),
  joined: (runId) => tx.read(joinedWakes(runId)),
  leave: (ids) => tx.write(leaveRun(ids)),
  cancelOfRuns: (runIds, reason, at) => tx.write(cancelWakesOfRuns(runIds, reason, at)),
  cutOff: (companyId, of, reasons) => tx.read(cutOffWakes(companyId, of, reasons)),
  followUpWaits: (agentId, issueId) =>
    tx.first(followUpWaits(agentId, issueId)).pipe(Effect.map((wake) => wake !== null)),
  endDelivered: (message, at) => tx.write(endDeliveredWake(message, at)),
  promote: (agentId, issueId, runId, at) => tx.write(joinQueuedRun(agentId, issueId, runId, at)),
});

/**
 * Ends the wake at once where the budget of its issue's project is used up, as `skipReason` of the core says. The lock
 * waits for a change of that hold, and reads it again: who lifts it sees the wake, or the wake sees it lifted.
 */
const addWaitingWake = (request: WakeRequest) => (sql: Sql) => {
  const chain = chainOf(request.reason, request);
  return sql`
  with held as materialized (
    select  ${holdRules.project_budget.refusedAs}::text as reason
    from    projects
    where   id = (select project_id from issues where id = ${request.issueId}::uuid)
    and     ${budgetHolds(sql, sql`held_by_budget_at`, sql`${budgetHoldsFrom(request.at)}`)}
    for     share
  ),
  chain as (
    select coalesce(${chain.triggeredAt}::timestamptz, (select triggered_at from runs where id = ${chain.of}::uuid)) as triggered_at
  )
  insert into wakes (
    id, company_id, agent_id, issue_id, reason, source, status, end_reason, payload, by_kind, by_id,
    caused_by_agents, triggered_at, not_before, traceparent, created_at, ended_at
  )
  select    ${request.id}, ${request.agent.companyId}, ${request.agent.id}, ${request.issueId}::uuid, ${request.reason},
            ${wakeReasons[request.reason].source}, case when held.reason is null then 'pending' else 'skipped' end,
            held.reason, ${json(sql, request.payload ?? {})}::jsonb, ${request.by.kind}, ${actorRow(request.by).byId}::uuid,
            ${chain.isByAgent} and coalesce(chain.triggered_at <= ${loopWindowStart(request.at)}, true), chain.triggered_at,
            ${request.notBefore ?? null}::timestamptz, ${request.traceparent}, ${request.at}::timestamptz,
            case when held.reason is not null then ${request.at}::timestamptz end
  from      chain
  left join held on true
`;
};

/**
 * The only way into the queue. Pending wakes of an agent and issue join its queued run; where no run is live, the
 * oldest wake creates one under the given id; where one is running, the wakes stay pending.
 *
 * `queued_run_for` (`migrations/000-baseline/08-runs.sql`) finds or inserts that run. It is a database function because it loops: a run may
 * begin or end between the search for a live run and the insert, which the unique index `runs_one_live` then rejects. It
 * delays a new run until the causes of all its wakes can no longer be undone, and locks the run it finds (`for share`), so that no run ends without the wakes that wait for its end, and notifies the
 * servers, also where a wake joins: a claim skips a locked run.
 */
const joinQueuedRun =
  (agentId: AgentId, issueId: IssueId | null, freshRunId: RunId, at: Instant) => (sql: Sql) =>
    sql`
  with joining as materialized (
    select  case when bool_and(not_before is not null) then max(not_before) end as not_before
    from    wakes
    where   status = 'pending'
    and     agent_id = ${agentId}
    and     issue_id is not distinct from ${issueId}::uuid
    and     run_id is null
  ),
  founder as (
    select    wake.company_id, wake.agent_id, wake.issue_id, agent.adapter_type, wake.reason, wake.source, wake.payload,
            wake.caused_by_agents, wake.triggered_at,
              -- Only the service itself gives these reasons: the payload of other wakes is anybody's.
              case when wake.reason = any(${retryReasons}::text[])
                then (wake.payload ->> 'retryOfRunId')::uuid
              end as retry_of_run_id
    from      wakes wake
    join      agents agent on agent.id = wake.agent_id
    where     wake.status = 'pending'
    and       wake.agent_id = ${agentId}
    and       wake.issue_id is not distinct from ${issueId}::uuid
    and       wake.run_id is null
    order by  wake.created_at, wake.id
    limit     1
  ),
  run as materialized (
    select  queued_run_for(
              company_id, agent_id, issue_id, ${freshRunId}, adapter_type, reason, source, payload, retry_of_run_id,
              caused_by_agents, triggered_at, (select not_before from joining), ${at}
            ) as id
    from    founder
  )
  update  wakes
  set     run_id = run.id
  from    run
  where   run.id is not null
  and     wakes.status = 'pending'
  and     wakes.agent_id = ${agentId}
  and     wakes.issue_id is not distinct from ${issueId}::uuid
  and     wakes.run_id is null
`;

const addSkippedWake = (request: WakeRequest, reason: string) => (sql: Sql) =>
  sql`
  insert into wakes (
    id, company_id, agent_id, issue_id, reason, source, status, end_reason, payload, by_kind, by_id, created_at,
    ended_at
  )
  values (
    ${request.id}, ${request.agent.companyId}, ${request.agent.id}, ${request.issueId}, ${request.reason},
    ${wakeReasons[request.reason].source}, 'skipped', ${reason}, ${json(sql, request.payload ?? {})},
    ${request.by.kind}, ${actorRow(request.by).byId}, ${request.at}, ${request.at}
  )
`;

const endStartedWakes = (runIds: readonly RunId[], at: Instant) => (sql: Sql) =>
  sql`
  update  wakes
  set     status   = case when wakes.id = oldest.id then 'started' else 'coalesced' end,
          ended_at = ${at}
  from    (
            select    distinct on (run_id)
                      run_id, id
            from      wakes
            where     run_id = any(${runIds}::uuid[])
            and       status = 'pending'
            order by  run_id, created_at, id
          ) as oldest
  where   wakes.run_id = oldest.run_id
  and     wakes.status = 'pending'
`;

const cancelPendingWakes = (of: WakesOf, reason: string, at: Instant) => (sql: Sql) =>
  sql`
  update  wakes
  set     status     = 'cancelled',
          end_reason = ${reason},
          ended_at   = ${at}
  where   status = 'pending'
  and     (${of.agentId ?? null}::uuid is null or agent_id = ${of.agentId ?? null}::uuid)
  and     (${of.companyId ?? null}::uuid is null or company_id = ${of.companyId ?? null}::uuid)
  and     (
            ${of.projectId ?? null}::uuid is null
            or issue_id in (select id from issues where project_id = ${of.projectId ?? null}::uuid)
          )
  and     (${of.issueId ?? null}::uuid is null or issue_id = ${of.issueId ?? null}::uuid)
`;

type Delivered = Pick<RunMessage, "id" | "runId" | "agentId" | "issueId" | "commentId">;

/** The payload of other wakes is anybody's. */
const endDeliveredWake =
  ({ id, runId, agentId, issueId, commentId }: Delivered, at: Instant) =>
  (sql: Sql) =>
    sql`
  update  wakes
  set     status     = 'coalesced',
          end_reason = 'message_delivered',
          run_id     = ${runId},
          ended_at   = ${at}
  where   status = 'pending'
  and     agent_id = ${agentId}
  and     issue_id is not distinct from ${issueId}::uuid
  and     run_id is null
  and     ${
    commentId === null
      ? sql`reason = 'run_message' and payload ->> 'messageId' = ${id}`
      : sql`reason in ${setOf(sql, commentReasons)} and payload ->> 'commentId' = ${commentId}`
  }
`;

const waitingTicks = (agentIds: readonly AgentId[]) => (sql: Sql) =>
  sql<{ agentId: AgentId }[]>`
  select  distinct agent_id
  from    wakes
  where   agent_id = any(${agentIds}::uuid[])
  and     status = 'pending'
  and     reason in ${setOf(sql, uncountedReasons)}
`;

const joinedWakes = (runId: RunId) => (sql: Sql) =>
  sql<Pick<Wake, "id" | "reason" | "payload">[]>`
  select    id, reason, payload
  from      wakes
  where     run_id = ${runId}
  and       status = 'pending'
  order by  created_at, id
`;

const leaveRun = (ids: readonly WakeId[]) => (sql: Sql) =>
  sql`
  update  wakes
  set     run_id = null
  where   id = any(${ids}::uuid[])
  and     status = 'pending'
`;

const cancelWakesOfRuns = (runIds: readonly RunId[], reason: string, at: Instant) => (sql: Sql) =>
  sql`
  update  wakes
  set     status     = 'cancelled',
          end_reason = ${reason},
          ended_at   = ${at}
  where   run_id = any(${runIds}::uuid[])
  and     status = 'pending'
`;

const cutOffWakes = (companyId: CompanyId, of: WorkOnHold, reasons: readonly WakeReason[]) => (sql: Sql) => {
  const isOfWork = sql`
    and wake.reason = any(${reasons}::text[])
    ${"agentId" in of ? sql`and wake.agent_id = ${of.agentId}` : sql``}
    ${"issueId" in of ? sql`and wake.issue_id = ${of.issueId}` : sql``}
    ${
      "projectId" in of
        ? sql`
    and wake.issue_id in (select id from issues where project_id = ${of.projectId})
    and ${noOtherBudgetStops(sql, sql`wake.agent_id`)}
    `
        : sql``
    }
  `;
  return sql<CutOffWake[]>`
  with cut_off as (
    select    wake.id, wake.agent_id, wake.issue_id, wake.reason, wake.payload, wake.ended_at
    from      wakes wake
    where     wake.company_id = ${companyId}
    and       wake.end_reason in ${setOf(sql, wakeEndsOfHolds)}
    ${isOfWork}
    union
    select    wake.id, wake.agent_id, wake.issue_id, wake.reason, wake.payload, wake.ended_at
    from      runs run
    join      wakes wake on wake.run_id = run.id
    where     run.company_id = ${companyId}
    and       run.stop_reason in ${setOf(sql, runEndsOfHolds)}
    and       wake.status in ${setOf(sql, consumedStatuses)}
    ${isOfWork}
  ),
  latest as (
    select    distinct on (agent_id, issue_id)
              *
    from      cut_off
    order by  agent_id, issue_id, id desc
  )
  select    latest.agent_id, latest.issue_id, latest.reason, latest.payload,
            case when issue.id is not null
              then jsonb_build_object('status', issue.status, 'assigneeAgentId', issue.assignee_agent_id)
            end as issue
  from      latest
  left join issues issue on issue.id = latest.issue_id
  where     not exists (
              select
              from   runs later
              where  later.agent_id = latest.agent_id
              and    (later.issue_id = latest.issue_id or (later.issue_id is null and latest.issue_id is null))
              and    later.created_at > latest.ended_at
            )
  order by  latest.id
`;
};

const followUpWaits = (agentId: AgentId, issueId: IssueId | null) => (sql: Sql) =>
  sql<{ id: WakeId }[]>`
  select  id
  from    wakes
  where   status = 'pending'
  and     agent_id = ${agentId}
  and     issue_id is not distinct from ${issueId}::uuid
  and     run_id is null
  limit   1
`;
