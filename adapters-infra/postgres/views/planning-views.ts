import type { Sql } from "postgres";
import { type Goal, GoalNotFound } from "../../../core/goals/goal.ts";
import { type Project, ProjectNotFound } from "../../../core/projects/project.ts";
import type { CompanyId, GoalId, ProjectId } from "../../../core/shared/ids.ts";
import type { PlanningViews } from "../../../ports/views/planning-views.ts";
import { byId, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { orFail } from "../rows.ts";

export const planningViews = (database: Database): PlanningViews => ({
  projects: (companyId, archived, page) =>
    readPage(
      database,
      { kind: "projects", of: { companyId, archived } },
      byId,
      page,
      listProjects(companyId, archived),
    ),
  project: (id) => database.first(getProject(id)).pipe(orFail(() => new ProjectNotFound())),
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

const projectView = (sql: Sql) => sql`
  id, company_id, name, description, status, lead_agent_id, target_date, archived_at, created_at, updated_at
`;

const goalView = (sql: Sql) => sql`
  id, company_id, title, description, level, status, parent_id, owner_agent_id, archived_at, created_at, updated_at
`;

const listProjects =
  (companyId: CompanyId, archived: boolean) =>
  (before: readonly [id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<Project[]>`
  select    ${projectView(sql)}
  from      projects
  where     company_id = ${companyId}
  ${archived ? sql`` : sql`and archived_at is null`}
  ${before === null ? sql`` : sql`and id < ${before[0]}`}
  order by  id desc
  limit     ${limit}
`;

const getProject = (id: ProjectId) => (sql: Sql) =>
  sql<Project[]>`
  select  ${projectView(sql)}
  from    projects
  where   id = ${id}
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
