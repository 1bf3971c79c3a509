import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import type { CompanyStatus } from "../../../core/model/companies/company.ts";
import type { GateCheck } from "../../../core/model/issues/gates/gate-check.ts";
import type { DoneRequest } from "../../../core/model/issues/gates/judge-end.ts";
import type { GateWork, NamedGate } from "../../../core/model/issues/gates/judge-gates.ts";
import type { Review } from "../../../core/model/issues/gates/review.ts";
import type { Issue } from "../../../core/model/issues/issue.ts";
import type { Gate } from "../../../core/model/projects/gate.ts";
import type {
  AgentId,
  CompanyId,
  IssueId,
  ProjectId,
  RepositoryId,
  RunId,
} from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { DueGate, GateOwner, GateStore } from "../../../ports/stores/gate-store.ts";
import { columnsOf } from "../columns-of.ts";
import { actsOfPeopleOn, gatesOfIssue, workersOf } from "../facts.ts";
import type { Statements } from "../transaction.ts";
import { gateLease, recordLapsed, runnerOfWork, takeDueGates } from "./due-gates.ts";

export const gateStore = (tx: Statements): GateStore => ({
  ofProject: (projectId) =>
    tx.read(namedGates((sql) => sql`(select * from project_gates where project_id = ${projectId})`)),
  ofIssue: (issue) => tx.read(namedGates(gatesCounting(issue))),
  hasOwn: (issueId) => tx.first(ownGates(issueId)).pipe(Effect.map((row) => row?.hasOwnGates ?? false)),
  replace: (companyId, owner, gates) =>
    Effect.andThen(
      tx.write(deleteGates(owner)),
      Effect.forEach(gates, (gate, at) => tx.write(insertGate(companyId, owner, at, gate)), {
        discard: true,
      }),
    ),
  markOwn: (issueId, hasOwn) => tx.write(markOwnGates(issueId, hasOwn)),
  factsOf: ({ id, projectId }) =>
    Effect.all(
      {
        work: tx.read(workOf(id)),
        reviews: tx.read(reviewsOf(id)),
        uncaptured: tx.read(uncapturedRuns(id)),
        workers: readWorkers(tx, id),
        checks: tx.read(checksOf(id)),
        workspaces: tx.first(repositoryWithWorkspaces(projectId)),
        company: tx.first(companyOf(id)),
      },
      { concurrency: "unbounded" },
    ).pipe(
      Effect.map(({ work, reviews, uncaptured, workers, checks, workspaces, company }) => ({
        work,
        checks,
        reviews,
        hasWorkspaces: workspaces !== null,
        // An issue that is being created is not stored yet.
        companyStatus: company?.status ?? "active",
        uncapturedRuns: uncaptured.map(({ id }) => id),
        workers,
      })),
    ),
  workersOf: (issueId) => readWorkers(tx, issueId),
  runnerOf: (issueId) => tx.first(runnerOf(issueId)).pipe(Effect.map((row) => row!.runner)),
  putReview: (review) => tx.write(upsertReview(review)),
  takeDue: (volume, at, most) =>
    Effect.andThen(tx.write(recordLapsed), tx.read(takeDueGates(volume, at, most))),
  lockCheck: (due) => tx.first(lockCheck(due)),
  saveCheck: (check) => tx.write(saveCheck(check)),
  renewCheck: (due) => tx.first(renewCheck(due)).pipe(Effect.map((row) => row !== null)),
  checkAgain: (issueId) => tx.write(checkAgain(issueId)),
  forgetFailed: (issueId) => tx.read(forgetFailed(issueId)).pipe(Effect.map(({ length }) => length)),
  putDoneRequest: (request) => tx.write(upsertDoneRequest(request)),
  doneRequest: (issueId) => tx.first(doneRequestOf(issueId)),
  dropDoneRequest: (issueId) => tx.write(deleteDoneRequest(issueId)),
  awaitVerdict: (issueId, since) => tx.write(awaitVerdict(issueId, since)),
  awaitsVerdictSince: (issueId) =>
    tx.first(awaitsVerdictSince(issueId)).pipe(Effect.map((row) => row?.since ?? null)),
  awaitingVerdict: (most) => Effect.map(tx.read(awaitingVerdict(most)), (rows) => rows.map(({ id }) => id)),
  personActedSince: (issueId, since) =>
    tx.first(actOfPerson(issueId, since)).pipe(Effect.map((row) => row !== null)),
});

const namedGates = (gates: (sql: Sql) => Fragment) => (sql: Sql) =>
  sql<NamedGate[]>`
  select    g.name, g.kind, g.reviewer_agent_id, g.reviewer_user_id, g.command, g.timeout_sec, g.max_wakes,
            coalesce(a.name, u.name) as reviewer_name
  from      ${gates(sql)} as g
  left join agents a on a.id = g.reviewer_agent_id
  left join board_users u on u.id = g.reviewer_user_id
  order by  g.position
`;

/** A new issue has none of its own. */
const gatesCounting =
  ({ id, projectId }: Pick<Issue, "id" | "projectId">) =>
  (sql: Sql) =>
    sql`
  (
    select        gate.*
    from          (
                    select  ${id}::uuid as id, ${projectId}::uuid as project_id,
                            coalesce((select has_own_gates from issues where id = ${id}), false) as has_own_gates
                  ) as issue
    cross join    lateral ${gatesOfIssue(sql, sql`issue`)} as gate
  )
`;

const ownGates = (issueId: IssueId) => (sql: Sql) =>
  sql<{ hasOwnGates: boolean }[]>`
  select  has_own_gates
  from    issues
  where   id = ${issueId}
`;

const markOwnGates = (issueId: IssueId, hasOwn: boolean) => (sql: Sql) =>
  sql`
  update  issues
  set     has_own_gates = ${hasOwn}
  where   id = ${issueId}
`;

/** Where gates of that owner are stored. */
const storedIn = (sql: Sql, owner: GateOwner) =>
  "projectId" in owner
    ? { table: sql`project_gates`, column: sql`project_id`, id: owner.projectId }
    : { table: sql`issue_gates`, column: sql`issue_id`, id: owner.issueId };

const deleteGates = (owner: GateOwner) => (sql: Sql) => {
  const { table, column, id } = storedIn(sql, owner);
  return sql`
  delete from ${table}
  where  ${column} = ${id}
`;
};

const insertGate = (companyId: CompanyId, owner: GateOwner, at: number, gate: Gate) => (sql: Sql) => {
  const { table, column, id } = storedIn(sql, owner);
  return sql`
  insert into ${table} (
    ${column}, company_id, position, name, kind, reviewer_agent_id, reviewer_user_id, command, timeout_sec, max_wakes
  )
  values (
    ${id}, ${companyId}, ${at}, ${gate.name}, ${gate.kind}, ${gate.reviewerAgentId}, ${gate.reviewerUserId},
    ${gate.command}, ${gate.timeoutSec}, ${gate.maxWakes}
  )
`;
};

/** Abandoned work and work in removed repositories no longer counts as the issue's. */
const workOf = (issueId: IssueId) => (sql: Sql) =>
  sql<GateWork[]>`
  select    b.repository_id, b.branch, b.base_commit, b.head, b.published_at is not null as is_published,
            case when w.run_id is not null then
              jsonb_build_object('head', w.head, 'files', w.files, 'state', w.state, 'leftOut', w.left_out)
            end as "captured",
            (
              select    jsonb_build_object(
                          'state', p.state, 'checks', p.checks, 'checksCommit', p.checks_commit, 'failedChecks', p.failed_checks,
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
  left join run_works w on w.run_id = b.captured_run_id and w.repository_id = b.repository_id
  where     b.issue_id = ${issueId}
  and       b.abandoned_at is null
  order by  b.repository_id
`;

const reviewsOf = (issueId: IssueId) => (sql: Sql) =>
  sql<Review[]>`
  select  issue_id, company_id, agent_id, user_id, verdict, note, commits, created_at
  from    issue_reviews
  where   issue_id = ${issueId}
`;

const uncapturedRuns = (issueId: IssueId) => (sql: Sql) =>
  sql<{ id: RunId }[]>`
  select  uncaptured_run_id as id
  from    issue_workspaces
  where   issue_id = ${issueId}
  and     agent_id is null
  and     uncaptured_run_id is not null
`;

const readWorkers = (tx: Statements, issueId: IssueId) =>
  Effect.map(tx.read(readWorkersOf(issueId)), (workers) => workers.map(({ id }) => id));

const readWorkersOf = (issueId: IssueId) => (sql: Sql) =>
  sql<{ id: AgentId }[]>`
  select  id
  from    ${workersOf(sql, sql`${issueId}::uuid`)} as workers
`;

const runnerOf = (issueId: IssueId) => (sql: Sql) =>
  sql<{ runner: string }[]>`
  select  ${runnerOfWork(sql, sql`${issueId}::uuid`)} as runner
`;

const companyOf = (issueId: IssueId) => (sql: Sql) =>
  sql<{ status: CompanyStatus }[]>`
  select  status
  from    companies
  where   id = (select company_id from issues where id = ${issueId})
`;

const repositoryWithWorkspaces = (projectId: ProjectId | null) => (sql: Sql) =>
  sql<{ id: RepositoryId }[]>`
  select  id
  from    repositories
  where   project_id = ${projectId}
  and     removed_at is null
  and     mode = 'issue'
  limit   1
`;

const reviewColumns = columnsOf(`
  issue_id, company_id, agent_id, user_id, verdict, note, commits, created_at
`);

const upsertReview = (review: Review) => (sql: Sql) =>
  sql`
  insert into issue_reviews ${reviewColumns.values(sql, review)}
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

const checksOf = (issueId: IssueId) => (sql: Sql) =>
  sql<GateCheck[]>`
  select  ${checkColumns(sql)}
  from    gate_checks
  where   issue_id = ${issueId}
`;

const isClaimed = (sql: Sql, { issueId, gate, commits, startedAt }: DueGate) => sql`
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
  where   ${isClaimed(sql, due)}
  for     no key update
`;

const checkAgain = (issueId: IssueId) => (sql: Sql) =>
  sql`
  update  gate_checks
  set     is_due = true
  where   issue_id = ${issueId}
  and     gate in (
            select      g.name
            from        issues
            cross join  lateral ${gatesOfIssue(sql, sql`issues`)} as g
            where       issues.id = ${issueId}
            and         g.kind = 'command'
          )
`;

const savedCheckColumns = columnsOf(`
  state, problem, log, duration_ms, wakes, handed_over_at, finished_at
`);

const saveCheck = (check: GateCheck) => (sql: Sql) =>
  sql`
  update  gate_checks
  set     ${savedCheckColumns.assign(sql, check)}
  where   issue_id = ${check.issueId}
  and     gate = ${check.gate}
`;

const renewCheck = (due: DueGate) => (sql: Sql) =>
  sql`
  update    gate_checks
  set       lease_until = ${gateLease(sql)},
            lapsed_at   = null
  where     ${isClaimed(sql, due)}
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
  from    ${actsOfPeopleOn(sql, sql`${issueId}`, sql`${since}`)}
  limit   1
`;

const doneRequestColumns = columnsOf(`
  issue_id, company_id, agent_id, run_id, comment, created_at
`);

const upsertDoneRequest = (request: DoneRequest) => (sql: Sql) =>
  sql`
  insert into done_requests ${doneRequestColumns.values(sql, request)}
  on conflict (issue_id) do update
  set     agent_id   = excluded.agent_id,
          run_id     = excluded.run_id,
          comment    = excluded.comment,
          created_at = excluded.created_at
`;

const doneRequestOf = (issueId: IssueId) => (sql: Sql) =>
  sql<DoneRequest[]>`
  select  ${doneRequestColumns(sql)}
  from    done_requests
  where   issue_id = ${issueId}
`;

const deleteDoneRequest = (issueId: IssueId) => (sql: Sql) =>
  sql`
  delete from done_requests
  where  issue_id = ${issueId}
`;

const awaitVerdict = (issueId: IssueId, since: Instant | null) => (sql: Sql) =>
  sql`
  update  issues
  set     awaits_gates_since = ${since}
  where   id = ${issueId}
`;

const awaitsVerdictSince = (issueId: IssueId) => (sql: Sql) =>
  sql<{ since: Instant | null }[]>`
  select  awaits_gates_since as since
  from    issues
  where   id = ${issueId}
`;

/** Those of a paused company wait: its gates do not run. */
const awaitingVerdict = (most: number) => (sql: Sql) =>
  sql<Pick<Issue, "id">[]>`
  select    issue.id
  from      issues issue
  join      companies company on company.id = issue.company_id and company.status = 'active'
  where     issue.awaits_gates_since is not null
  order by  issue.awaits_gates_since
  limit     ${most}
`;
