import type { Sql } from "postgres";
import { type Goal, GoalNotFound } from "../../../core/model/goals/goal.ts";
import { ProjectNotFound } from "../../../core/model/projects/project.ts";
import { RepositoryNotFound } from "../../../core/model/repositories/repository.ts";
import type { CompanyId, GoalId, IssueId, ProjectId, RepositoryId } from "../../../core/model/shared/ids.ts";
import { type Instant, monthOf } from "../../../core/model/shared/instant.ts";
import type {
  PlanningViews,
  ProjectRecord,
  PullRequestView,
  RepositoryView,
} from "../../../ports/views/planning-views.ts";
import { projectColumns } from "../columns.ts";
import { byId, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { orFail } from "../rows.ts";

export const planningViews = (database: Database): PlanningViews => ({
  projects: (companyId, archived, page, at) =>
    readPage(
      database,
      { kind: "projects", of: { companyId, archived } },
      byId,
      page,
      listProjects(companyId, archived, at),
    ),
  project: (id, at) => database.first(getProject(id, at)).pipe(orFail(() => new ProjectNotFound())),
  repositories: (projectId) => database.read(listRepositories(projectId)),
  repository: (id) => database.first(getRepository(id)).pipe(orFail(() => new RepositoryNotFound())),
  pullRequests: (issueId) => database.read(listPullRequests(issueId)),
  goals: (companyId, archived, page) =>
    readPage(
      database,
      { kind: "goals", of: { companyId, archived } },
      byId,
      page,
      listGoals(companyId, archived),
    ),
  goal: (id) => database.first(getGoal(id)).pipe(orFail(() => new GoalNotFound())),
});

/** A `ProjectRecord`. */
const projectRecord = (sql: Sql, at: Instant) => sql`
  ${projectColumns(sql)},
  (select status from companies where companies.id = projects.company_id) as company_status,
  floor(coalesce((
    select  spent_cents
    from    budget_months
    where   scope_id = projects.id
    and     month = ${monthOf(at)}
  ), 0)) as spent_monthly_cents
`;

const goalView = (sql: Sql) => sql`
  id, company_id, title, description, level, status, parent_id, owner_agent_id, archived_at, created_at, updated_at
`;

const listProjects =
  (companyId: CompanyId, archived: boolean, at: Instant) =>
  (before: readonly [id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<ProjectRecord[]>`
  select    ${projectRecord(sql, at)}
  from      projects
  where     company_id = ${companyId}
  ${archived ? sql`` : sql`and archived_at is null`}
  ${before === null ? sql`` : sql`and id < ${before[0]}`}
  order by  id desc
  limit     ${limit}
`;

const getProject = (id: ProjectId, at: Instant) => (sql: Sql) =>
  sql<ProjectRecord[]>`
  select  ${projectRecord(sql, at)}
  from    projects
  where   id = ${id}
`;

const repositoryView = (sql: Sql) => sql`
  id, company_id, project_id, url, default_branch, credential_secret_id, directory, mode, allow_private_host,
  host_kind, host_api_url, closes_issues, webhook_secret_id, sparse_folders, setup_command, run_command, archive_command,
  command_timeout_sec, author_name, author_email, branch_pattern, checked_at, problem, created_at, updated_at
`;

const listRepositories = (projectId: ProjectId) => (sql: Sql) =>
  sql<RepositoryView[]>`
  select    ${repositoryView(sql)}
  from      repositories
  where     project_id = ${projectId}
  and       removed_at is null
  order by  id
`;

const getRepository = (id: RepositoryId) => (sql: Sql) =>
  sql<RepositoryView[]>`
  select  ${repositoryView(sql)}
  from    repositories
  where   id = ${id}
  and     removed_at is null
`;

const listPullRequests = (issueId: IssueId) => (sql: Sql) =>
  sql<PullRequestView[]>`
  select    id, issue_id, repository_id, branch, into_branch, title, state, number, url, head, checks, checks_commit,
            failed_checks, handed_over_at, problem, polled_at, created_at
  from      pull_requests
  where     issue_id = ${issueId}
  order by  id desc
`;

const listGoals =
  (companyId: CompanyId, archived: boolean) =>
  (before: readonly [id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<Goal[]>`
  select    ${goalView(sql)}
  from      goals
  where     company_id = ${companyId}
  ${archived ? sql`` : sql`and archived_at is null`}
  ${before === null ? sql`` : sql`and id < ${before[0]}`}
  order by  id desc
  limit     ${limit}
`;

const getGoal = (id: GoalId) => (sql: Sql) =>
  sql<Goal[]>`
  select  ${goalView(sql)}
  from    goals
  where   id = ${id}
`;
