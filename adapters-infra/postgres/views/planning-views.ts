import type { Sql } from "postgres";
import { type Goal, GoalNotFound } from "../../../core/model/goals/goal.ts";
import { ProjectNotFound } from "../../../core/model/projects/project.ts";
import { RepositoryNotFound } from "../../../core/model/repositories/repository.ts";
import type { CompanyId, GoalId, IssueId, ProjectId, RepositoryId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  PlanningViews,
  ProjectRecord,
  PullRequestView,
  RepositoryView,
} from "../../../ports/views/planning-views.ts";
import { goalColumns, projectColumns, pullRequestColumns, repositoryColumns } from "../columns.ts";
import { byId, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { companyStatusOf, spentInMonthOf } from "../facts.ts";
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
  ${companyStatusOf(sql, sql`projects`)}, ${spentInMonthOf(sql, sql`projects`, at)}
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

const repositoryView = repositoryColumns.without("removed_at");

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

const pullRequestView = pullRequestColumns.without(`
  company_id, body, base_commit, wakes, by_kind, by_id, by_run_id, changed_at, poll_at
`);

const listPullRequests = (issueId: IssueId) => (sql: Sql) =>
  sql<PullRequestView[]>`
  select    ${pullRequestView(sql)}
  from      pull_requests
  where     issue_id = ${issueId}
  order by  id desc
`;

const listGoals =
  (companyId: CompanyId, archived: boolean) =>
  (before: readonly [id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<Goal[]>`
  select    ${goalColumns(sql)}
  from      goals
  where     company_id = ${companyId}
  ${archived ? sql`` : sql`and archived_at is null`}
  ${before === null ? sql`` : sql`and id < ${before[0]}`}
  order by  id desc
  limit     ${limit}
`;

const getGoal = (id: GoalId) => (sql: Sql) =>
  sql<Goal[]>`
  select  ${goalColumns(sql)}
  from    goals
  where   id = ${id}
`;
