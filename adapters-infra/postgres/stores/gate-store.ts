import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { GateCheck } from "../../../core/issues/gates/gate-check.ts";
import type { GateWork, NamedGate } from "../../../core/issues/gates/judge-gates.ts";
import type { Review } from "../../../core/issues/gates/review.ts";
import { closedStatuses } from "../../../core/issues/issue-status.ts";
import type { Gate } from "../../../core/projects/gate.ts";
import type { AgentId, CompanyId, IssueId, ProjectId, RunId } from "../../../core/shared/ids.ts";
import type { Instant } from "../../../core/shared/instant.ts";
import type { DueGate, GateStore } from "../../../ports/stores/gate-store.ts";
import { workLease } from "../../../ports/stores/work-lease.ts";
import { setOf } from "../facts.ts";
import type { Statements } from "../transaction.ts";

export const gateStore = (tx: Statements): GateStore => ({
  ofProject: (projectId) => tx.read(gatesOf(projectId)),
  replace: (companyId, projectId, gates) =>
    Effect.andThen(
      tx.write(deleteGates(projectId)),
      Effect.forEach(gates, (gate, at) => tx.write(insertGate(companyId, projectId, at, gate)), {
        discard: true,
      }),
    ),
  factsOf: (issueId) =>
    Effect.all(
      {
        work: tx.read(workOf(issueId)),
        reviews: tx.read(reviewsOf(issueId)),
        unkept: tx.read(unkeptRuns(issueId)),
        workers: tx.read(workersOf(issueId)),
        checks: tx.read(checksOf(issueId)),
      },
      { concurrency: "unbounded" },
    ).pipe(
      Effect.map(({ work, reviews, unkept, workers, checks }) => ({
        work,
        checks,
        reviews,
        unkeptRuns: unkept.map(({ id }) => id),
        workers: workers.map(({ id }) => id),
      })),
    ),
  putReview: (review) => tx.write(upsertReview(review)),
  takeDue: (at, most) => Effect.andThen(tx.write(noteLapsed), tx.read(takeDueGates(at, most))),
  lockCheck: (due) => tx.first(lockCheck(due)),
  saveCheck: (check) => tx.write(saveCheck(check)),
  renewCheck: (due) => tx.first(renewCheck(due)).pipe(Effect.map((row) => row !== null)),
  forgetFailed: (issueId) => tx.read(forgetFailed(issueId)).pipe(Effect.map(({ length }) => length)),
  personActedSince: (issueId, since) =>
    tx.first(actOfPerson(issueId, since)).pipe(Effect.map((row) => row !== null)),
});

const gatesOf = (projectId: ProjectId) => (sql: Sql) =>
  sql<NamedGate[]>`
  select    g.name, g.kind, g.reviewer_agent_id, g.reviewer_user_id, g.command, g.timeout_sec, g.max_wakes,
            coalesce(a.name, u.name) as reviewer_name
  from      project_gates g
  left join agents a on a.id = g.reviewer_agent_id
  left join board_users u on u.id = g.reviewer_user_id
  where     g.project_id = ${projectId}
  order by  g.position
`;

const deleteGates = (projectId: ProjectId) => (sql: Sql) =>
  sql`
  delete from project_gates
  where  project_id = ${projectId}
`;

const insertGate = (companyId: CompanyId, projectId: ProjectId, at: number, gate: Gate) => (sql: Sql) =>
  sql`
  insert into project_gates (project_id, company_id, position, name, kind, reviewer_agent_id, reviewer_user_id, command, timeout_sec, max_wakes)
  values (
    ${projectId}, ${companyId}, ${at}, ${gate.name}, ${gate.kind}, ${gate.reviewerAgentId}, ${gate.reviewerUserId},
    ${gate.command}, ${gate.timeoutSec}, ${gate.maxWakes}
  )
`;

/** Work that a person gave up, and that of removed repositories, is no work of the issue any more. */
const workOf = (issueId: IssueId) => (sql: Sql) =>
  sql<GateWork[]>`
  select    b.repository_id, b.branch, b.base_commit, b.head, b.published_at is not null as is_published,
            case when w.run_id is not null then
              jsonb_build_object('head', w.head, 'files', w.files, 'state', w.state, 'leftOut', w.left_out)
            end as "left",
            (
              select    jsonb_build_object(
                          'checks', p.checks, 'checksCommit', p.checks_commit, 'failedChecks', p.failed_checks,
                          'problem', p.problem
                        )
              from      pull_requests p
              where     p.issue_id = b.issue_id
              and       p.repository_id = b.repository_id
              order by  p.id desc
              limit     1
            ) as pull
  from      issue_branches b
  join      repositories r on r.id = b.repository_id and r.removed_at is null
  left join run_works w on w.run_id = b.kept_run_id and w.repository_id = b.repository_id
  where     b.issue_id = ${issueId}
  and       b.given_up_at is null
  order by  b.repository_id
`;

const reviewsOf = (issueId: IssueId) => (sql: Sql) =>
  sql<Review[]>`
  select  issue_id, company_id, agent_id, user_id, verdict, note, commits, created_at
  from    issue_reviews
  where   issue_id = ${issueId}
`;

const unkeptRuns = (issueId: IssueId) => (sql: Sql) =>
  sql<{ id: RunId }[]>`
  select  unkept_run_id as id
  from    trees
  where   issue_id = ${issueId}
  and     agent_id is null
  and     unkept_run_id is not null
`;

const workersOf = (issueId: IssueId) => (sql: Sql) =>
  sql<{ id: AgentId }[]>`
  select distinct runs.agent_id as id
  from    run_works
  join    runs on runs.id = run_works.run_id
  where   run_works.issue_id = ${issueId}
`;

const upsertReview = (review: Review) => (sql: Sql) =>
  sql`
  insert into issue_reviews (issue_id, company_id, agent_id, user_id, verdict, note, commits, created_at)
  values (
    ${review.issueId}, ${review.companyId}, ${review.agentId}, ${review.userId}, ${review.verdict}, ${review.note},
    ${review.commits}::text[], ${review.createdAt}
  )
  on conflict (issue_id, agent_id, user_id) do update
  set     verdict    = excluded.verdict,
          note       = excluded.note,
          commits    = excluded.commits,
          created_at = excluded.created_at
`;

const checkColumns = (sql: Sql) => sql`
  issue_id, company_id, gate, command, commits, state, problem, log, duration_ms, wakes, handed_over_at, started_at,
  finished_at
`;

const lease = (sql: Sql) => sql`now() + make_interval(secs => ${workLease.leaseSec})`;

const checksOf = (issueId: IssueId) => (sql: Sql) =>
  sql<GateCheck[]>`
  select  ${checkColumns(sql)}
  from    gate_checks
  where   issue_id = ${issueId}
`;

const isTaken = (sql: Sql, { issueId, gate, commits, startedAt }: DueGate) => sql`
  issue_id = ${issueId}
  and gate = ${gate.name}
  and command = ${gate.command}
  and commits = ${commits}::text[]
  and started_at = ${startedAt}
  and state = 'running'
`;

const lockCheck = (due: DueGate) => (sql: Sql) =>
  sql<GateCheck[]>`
  select  ${checkColumns(sql)}
  from    gate_checks
  where   ${isTaken(sql, due)}
  for     no key update
`;

const noteLapsed = (sql: Sql) => sql`
  update  gate_checks
  set     lapsed_at = now()
  where   state = 'running'
  and     lease_until <= now()
  and     lapsed_at is null
`;

const takeDueGates = (at: Instant, most: number) => (sql: Sql) =>
  sql<DueGate[]>`
  with due as (
    select      issue.id as issue_id, issue.company_id, g.name, g.command, g.timeout_sec, g.max_wakes,
                work.commits, clones.clones
    from        project_gates g
    -- a paused company runs nothing, such as one that was just imported
    join        companies company on company.id = g.company_id and company.status = 'active'
    join        issues issue on issue.project_id = g.project_id
    cross join  lateral (
                  select  array_agg(b.head order by b.head collate "C") as commits
                  from    issue_branches b
                  join    repositories r on r.id = b.repository_id and r.removed_at is null
                  where   b.issue_id = issue.id
                  and     b.given_up_at is null
                  and     b.head is not null
                ) as work
    cross join  lateral (
                  select    jsonb_agg(
                              jsonb_build_object(
                                'repositoryId', r.id, 'directory', r.directory, 'defaultBranch', r.default_branch,
                                'commit', b.head, 'branch', b.branch, 'baseCommit', b.base_commit
                              )
                              order by r.id
                            ) as clones
                  from      repositories r
                  left join issue_branches b on b.issue_id = issue.id and b.repository_id = r.id and b.given_up_at is null
                  where     r.project_id = g.project_id
                  and       r.removed_at is null
                  and       r.mode = 'issue'
                ) as clones
    left join   gate_checks c on c.issue_id = issue.id and c.gate = g.name
    where       g.kind = 'command'
    -- most issues of a project have no work: it begins with those that have
    and         issue.id in (select issue_id from issue_branches where head is not null)
    -- done work is checked again only where it went on after a check
    and         (issue.status not in ${setOf(sql, closedStatuses)} or (issue.status = 'done' and c.gate is not null))
    and         work.commits is not null
    and         clones.clones is not null
    and         not exists (
                  select
                  from    trees
                  where   trees.issue_id = issue.id
                  and     trees.agent_id is null
                  and     trees.unkept_run_id is not null
                )
    and         (
                  c.gate is null
                  or (c.state = 'running' and c.lapsed_at <= now() - make_interval(secs => ${workLease.lapseSec}))
                  or (c.state <> 'running' and (c.commits <> work.commits or c.command <> g.command))
                )
    order by    issue.id, g.position
    limit       ${most}
    for         no key update of issue skip locked
  ),
  taken as (
    insert into gate_checks (
      issue_id, company_id, gate, command, commits, state, log, wakes, lease_until, started_at
    )
    select      issue_id, company_id, name, command, commits, 'running', '', 0, ${lease(sql)}, ${at}
    from        due
    on conflict (issue_id, gate) do update
    set         command     = excluded.command,
                commits     = excluded.commits,
                state       = 'running',
                problem     = null,
                log         = '',
                duration_ms = null,
                lease_until = excluded.lease_until,
                lapsed_at   = null,
                started_at  = excluded.started_at,
                finished_at = null
  )
  select  issue_id, company_id, clones, commits, ${at}::timestamptz(3) as started_at,
          jsonb_build_object(
            'name', name, 'command', command, 'timeoutSec', timeout_sec, 'maxWakes', max_wakes
          ) as gate
  from    due
`;

const saveCheck = (check: GateCheck) => (sql: Sql) =>
  sql`
  update  gate_checks
  set     state          = ${check.state},
          problem        = ${check.problem},
          log            = ${check.log},
          duration_ms    = ${check.durationMs},
          wakes          = ${check.wakes},
          handed_over_at = ${check.handedOverAt},
          finished_at    = ${check.finishedAt}
  where   issue_id = ${check.issueId}
  and     gate = ${check.gate}
`;

const renewCheck = (due: DueGate) => (sql: Sql) =>
  sql`
  update    gate_checks
  set       lease_until = ${lease(sql)},
            lapsed_at   = null
  where     ${isTaken(sql, due)}
  returning gate
`;

const forgetFailed = (issueId: IssueId) => (sql: Sql) =>
  sql<object[]>`
  delete from gate_checks
  where     issue_id = ${issueId}
  and       state = 'failed'
  returning gate
`;

const actOfPerson = (issueId: IssueId, since: Instant) => (sql: Sql) =>
  sql<object[]>`
  select  id
  from    activity
  where   entity_id = ${issueId}
  and     actor_kind = 'board'
  and     created_at > ${since}
  limit   1
`;
