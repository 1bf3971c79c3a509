import type { Sql } from "postgres";
import { closedStatuses } from "../../../core/model/issues/issue-status.ts";
import type { LoopKind } from "../../../core/model/runs/loop-breaker.ts";
import { failedRunStatuses, liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import { constantOf, isForAssigneeOf, setOf } from "../facts.ts";
import { isHeld, isHeldAsRestored } from "../holds.ts";
import { isBlocked, waitsForAnswer } from "../idle-issues.ts";
import { entryOf } from "./inbox-columns.ts";

/** The last runs of agents on issues, where they failed and nothing tries them again. Reads `r` and `scope`. */
export const lastFailures = (sql: Sql) => sql`
  select    run.id, run.company_id, run.agent_id, run.issue_id, run.error, run.finished_at,
            ${isForAssigneeOf(sql, sql`run`)} as is_for_assignee
  from      r
  join      runs run
  on        run.company_id = r.company_id
  and       run.status in ${setOf(sql, failedRunStatuses)}
  and       run.finished_at > (select since from scope)
  where     r.name = 'operator'
  and       not exists (
              select
              from    runs later
              where   later.issue_id = run.issue_id
              and     later.agent_id = run.agent_id
              and     later.id > run.id
            )
  and       (
              run.issue_id is not null
              or not exists (
                select
                from    runs later
                where   later.issue_id is null
                and     later.agent_id = run.agent_id
                and     later.id > run.id
              )
            )
  and       not exists (
              select
              from    wakes
              where   wakes.agent_id = run.agent_id
              and     wakes.issue_id is not distinct from run.issue_id
              and     wakes.status = 'pending'
            )
`;

/** The last failures of active agents on issues that are open, and not given to somebody else since. Reads `r` and `failed`. */
export const failedRuns = (sql: Sql) => sql`
  select  ${entryOf(sql, {
    kind: sql`'failed_run'`,
    subject: "run",
    id: sql`failed.id`,
    title: sql`coalesce(issue.title, agent.name)`,
    detail: sql`jsonb_build_object('error', failed.error)`,
    since: sql`failed.finished_at`,
    version: sql`''`,
    issue: true,
    agent: true,
  })}
  from      failed
  join      r on r.company_id = failed.company_id and r.name = 'operator'
  join      agents agent on agent.id = failed.agent_id
  left join issues issue on issue.id = failed.issue_id
  where     agent.lifecycle_state = 'active'
  and       coalesce(issue.status not in ${setOf(sql, closedStatuses)}, true)
  and       (
              issue.id is null
              or not failed.is_for_assignee
              or coalesce(issue.assignee_agent_id, issue.assignee_user_id, failed.agent_id) = failed.agent_id
            )
`;

/** Agents in error for another reason than a failed run. Reads `r` and `failed`. */
export const agentsInError = (sql: Sql) => sql`
  select  ${entryOf(sql, {
    kind: sql`'agent_error'`,
    subject: "agent",
    id: sql`agent.id`,
    title: sql`agent.name`,
    detail: sql`jsonb_build_object('error', agent.error_reason)`,
    since: sql`coalesce(agent.last_heartbeat_at, agent.updated_at)`,
    version: sql`coalesce(agent.last_heartbeat_at, agent.updated_at)`,
    agent: true,
  })}
  from    r
  join    agents agent on agent.company_id = r.company_id
  where   r.name = 'operator'
  and     agent.lifecycle_state = 'active'
  and     agent.error_reason is not null
  and     not exists (select from failed where failed.agent_id = agent.id)
`;

/**
 * Runs that the loop breaker holds for a person; of an agent for whom agents alone cause too many, one entry for all.
 * Reads `r`.
 */
export const heldRuns = (sql: Sql) => {
  const kind = (name: LoopKind) => sql.unsafe(constantOf(name));
  const ofAgent = sql`run.quarantined_for = ${kind("agents")}`;
  return sql`
  select  ${entryOf(sql, {
    kind: sql`case when ${ofAgent} then 'held_agent' else 'held_run' end`,
    subject: sql`case when ${ofAgent} then 'agent' else 'run' end`,
    id: sql`run.held`,
    title: sql`case when ${ofAgent} then agent.name else coalesce(issue.title, agent.name) end`,
    since: sql`run.quarantined_since`,
    version: sql`run.quarantined_since`,
    issue: true,
    agent: true,
  })}
  from      r
  join      (
              select    distinct on (held)
                        case quarantined_for when ${kind("agents")} then agent_id else id end as held, id, company_id,
                        agent_id, case quarantined_for when ${kind("loop")} then issue_id end as issue_id, quarantined_for,
                        quarantined_since
              from      runs
              where     status = 'queued'
              and       quarantined_since is not null
              order by  held, quarantined_since
            ) as run on run.company_id = r.company_id
  join      agents agent on agent.id = run.agent_id
  left join issues issue on issue.id = run.issue_id
  where     r.name = 'operator'
`;
};

/**
 * `judgeStalled` of the core, of issues for which no run works or is queued and whose assignee may work. A failed run has an
 * entry of its own. Reads `r`, `failed` and `scope`.
 */
export const stalledIssues = (sql: Sql) => sql`
  select  ${entryOf(sql, {
    kind: sql`'stalled_issue'`,
    subject: "issue",
    id: sql`issue.id`,
    title: sql`issue.title`,
    since: sql`coalesce(last_run.finished_at, issue.started_at, issue.updated_at)`,
    version: sql`coalesce(last_run.id::text, '')`,
    issue: true,
    agent: true,
  })}
  from          r
  join          issues issue on issue.company_id = r.company_id and issue.status = 'in_progress' and issue.checkout_run_id is null
                                                       and issue.awaits_gates_since is null
  join          agents agent on agent.id = issue.assignee_agent_id and agent.lifecycle_state = 'active'
  cross join    lateral (
                  select r.company_status as status, r.company_held_by_budget_at as held_by_budget_at
                ) as company
  left join     projects project on project.id = issue.project_id
  left join     lateral (
                  select    run.id, run.finished_at
                  from      runs run
                  where     run.issue_id = issue.id
                  and       run.finished_at is not null
                  order by  run.id desc
                  limit     1
                ) as last_run on true
  where         r.name = 'operator'
  and           not ${isHeldAsRestored(sql)}
  and           not ${isHeld(sql, sql`(select budgets_hold_from from scope)`)}
  and           not exists (select from failed where failed.issue_id = issue.id and failed.agent_id = agent.id)
  and           not ${waitsForAnswer(sql, sql`issue`)}
  and           not ${isBlocked(sql, sql`issue`)}
  and           not exists (
                  select
                  from    runs live
                  where   live.agent_id = agent.id
                  and     live.issue_id = issue.id
                  and     live.status in ${setOf(sql, liveRunStatuses)}
                )
`;

/** Open issues of agents that are terminated. Reads `r`. */
export const issuesOfTerminated = (sql: Sql) => sql`
  select  ${entryOf(sql, {
    kind: sql`'needs_assignee'`,
    subject: "issue",
    id: sql`issue.id`,
    title: sql`issue.title`,
    since: sql`agent.updated_at`,
    version: sql`agent.updated_at`,
    issue: true,
    agent: true,
  })}
  from    r
  join    agents agent on agent.company_id = r.company_id and agent.lifecycle_state = 'terminated'
  join    issues issue on issue.assignee_agent_id = agent.id and issue.status not in ${setOf(sql, closedStatuses)}
  where   r.name = 'operator'
`;
