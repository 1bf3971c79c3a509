import type { Fragment, Sql } from "postgres";
import { localRunner } from "../../../core/model/agents/volume.ts";
import { workingCompanyStatuses } from "../../../core/model/companies/company.ts";
import { closedStatuses, openStatuses } from "../../../core/model/issues/issue-status.ts";
import type { VolumeId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { DueGate } from "../../../ports/stores/gate-store.ts";
import { workLease } from "../../../ports/stores/work-lease.ts";
import { gatesOfIssue, setOf } from "../facts.ts";

export const gateLease = (sql: Sql) => sql`now() + make_interval(secs => ${workLease.leaseSec})`;

export const recordLapsed = (sql: Sql) => sql`
  update  gate_checks
  set     lapsed_at = now()
  where   state = 'running'
  and     lease_until <= now()
  and     lapsed_at is null
`;

/** The runner of the run whose work of the issue was kept last. Runs of earlier versions had no other than the own machine. */
export const runnerOfWork = (sql: Sql, issueId: Fragment) => sql`
  coalesce(
    (
      select    runs.runner
      from      issue_branches
      join      runs on runs.id = issue_branches.captured_run_id
      where     issue_branches.issue_id = ${issueId}
      and       issue_branches.abandoned_at is null
      and       issue_branches.head is not null
      order by  issue_branches.repository_id
      limit     1
    ),
    ${localRunner}
  )
`;

/**
 * Reads open issues and marked checks, however much was ever done: work and checks of an issue are looked up for it, because the
 * planner would read all that there ever were where many are open.
 */
export const takeDueGates = (volume: VolumeId, at: Instant, most: number) => (sql: Sql) => {
  const candidate = sql`issue.id, issue.company_id, issue.project_id, issue.has_own_gates, issue.status`;
  return sql<DueGate[]>`
  with candidate as materialized (
    select      ${candidate}
    from        issues issue
    where       issue.project_id in (select project_id from project_gates where kind = 'command')
    and         issue.status in ${setOf(sql, openStatuses)}
    and         not issue.has_own_gates
    union
    select      ${candidate}
    from        issues issue
    where       issue.has_own_gates
    and         issue.status not in ${setOf(sql, closedStatuses)}
    union
    select      ${candidate}
    from        gate_checks c
    join        issues issue on issue.id = c.issue_id and issue.status = 'done'
    where       (c.is_due or c.state = 'running')
  ),
  worked as materialized (
    select      candidate.*,
                array(
                  select    b.head
                  from      issue_branches b
                  where     b.issue_id = candidate.id
                  and       b.abandoned_at is null
                  and       b.head is not null
                  and       (select r.removed_at from repositories r where r.id = b.repository_id) is null
                  order by  b.head collate "C"
                ) as commits
    from        candidate
  ),
  due as (
    select      issue.id as issue_id, issue.company_id, g.position, g.name, g.command, g.timeout_sec, g.max_wakes,
                issue.commits, clones.clones
    from        worked issue
    join        companies company on company.id = issue.company_id and company.status in ${setOf(sql, workingCompanyStatuses)}
    join        lateral ${gatesOfIssue(sql, sql`issue`)} as g on g.kind = 'command'
    cross join  lateral (
                  select    jsonb_agg(
                              jsonb_build_object(
                                'repositoryId', r.id, 'directory', r.directory, 'defaultBranch', r.default_branch,
                                'commit', b.head, 'branch', b.branch, 'baseCommit', b.base_commit
                              )
                              order by r.id
                            ) as clones
                  from      repositories r
                  left join issue_branches b on b.issue_id = issue.id and b.repository_id = r.id and b.abandoned_at is null
                  where     r.project_id = issue.project_id
                  and       r.removed_at is null
                  and       r.mode = 'issue'
                ) as clones
    left join   lateral (
                  select  gate_checks.*
                  from    gate_checks
                  where   gate_checks.issue_id = issue.id
                  and     gate_checks.gate = g.name
                  limit   1
                ) as c on true
    where       issue.commits <> '{}'
    and         clones.clones is not null
    and         not exists (
                  select
                  from    issue_workspaces
                  where   issue_workspaces.issue_id = issue.id
                  and     issue_workspaces.agent_id is null
                  and     issue_workspaces.uncaptured_run_id is not null
                )
    and         case
                  when c.state = 'running' then c.lapsed_at <= now() - make_interval(secs => ${workLease.lapseSec})
                  when issue.status = 'done' then c.is_due
                  else c.gate is null or c.commits <> issue.commits or c.command <> g.command
                end
    and         coalesce(
                  (
                    select  true
                    from    issue_branches b
                    join    run_works w on w.run_id = b.captured_run_id and w.repository_id = b.repository_id
                    join    issue_workspaces on issue_workspaces.id = w.workspace_id and issue_workspaces.volume <> ${volume}
                    join    volumes on volumes.id = issue_workspaces.volume and volumes.abandoned_at >= now()
                    where   b.issue_id = issue.id
                    and     b.abandoned_at is null
                    and     b.head is not null
                    limit   1
                  ),
                  false
                ) = false
    order by    issue.id, g.position
    limit       ${most}
  ),
  taken as (
    insert into gate_checks as now_running (
      issue_id, company_id, gate, command, commits, state, log, wakes, lease_until, started_at
    )
    select      issue_id, company_id, name, command, commits, 'running', '', 0, ${gateLease(sql)}, ${at}
    from        due
    on conflict (issue_id, gate) do update
    set         command     = excluded.command,
                commits     = excluded.commits,
                state       = 'running',
                problem     = null,
                log         = '',
                duration_ms = null,
                is_due      = false,
                lease_until = excluded.lease_until,
                lapsed_at   = null,
                started_at  = excluded.started_at,
                finished_at = null
    -- another service may have taken it meanwhile
    where       now_running.state <> 'running'
    or          now_running.lapsed_at <= now() - make_interval(secs => ${workLease.lapseSec})
    returning   issue_id, gate
  )
  select    encode(substring(sha256(convert_to(due.issue_id || due.name, 'UTF8')) for 16), 'hex')::uuid as id,
            due.issue_id, due.company_id, ${runnerOfWork(sql, sql`due.issue_id`)} as runner, due.clones, due.commits, ${at}::timestamptz(3) as started_at,
            jsonb_build_object(
              'name', due.name, 'command', due.command, 'timeoutSec', due.timeout_sec, 'maxWakes', due.max_wakes
            ) as gate
  from      due
  join      taken on taken.issue_id = due.issue_id and taken.gate = due.name
  order by  due.issue_id, due.position
`;
};
