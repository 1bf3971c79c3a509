import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { GateWork, NamedGate } from "../../../core/issues/gates/judge-gates.ts";
import type { Review } from "../../../core/issues/gates/review.ts";
import type { Gate } from "../../../core/projects/gate.ts";
import type { AgentId, CompanyId, IssueId, ProjectId, RunId } from "../../../core/shared/ids.ts";
import type { GateStore } from "../../../ports/stores/gate-store.ts";
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
      },
      { concurrency: "unbounded" },
    ).pipe(
      Effect.map(({ work, reviews, unkept, workers }) => ({
        work,
        reviews,
        unkeptRuns: unkept.map(({ id }) => id),
        workers: workers.map(({ id }) => id),
      })),
    ),
  putReview: (review) => tx.write(upsertReview(review)),
});

const gatesOf = (projectId: ProjectId) => (sql: Sql) =>
  sql<NamedGate[]>`
  select    g.name, g.kind, g.reviewer_agent_id, g.reviewer_user_id, coalesce(a.name, u.name) as reviewer_name
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
  insert into project_gates (project_id, company_id, position, name, kind, reviewer_agent_id, reviewer_user_id)
  values (
    ${projectId}, ${companyId}, ${at}, ${gate.name}, ${gate.kind}, ${gate.reviewerAgentId}, ${gate.reviewerUserId}
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
