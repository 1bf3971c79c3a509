import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Project, ProjectNotFound } from "../../../core/model/projects/project.ts";
import type { CompanyId, IssueId, ProjectId, RunId } from "../../../core/model/shared/ids.ts";
import type { ProjectStore } from "../../../ports/stores/project-store.ts";
import { projectColumns } from "../columns.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";
import { lockHeldBefore, setBudgetHold } from "./budget-holds.ts";

export const projectStore = (tx: Statements): ProjectStore => ({
  lock: (id) => tx.first(lockProject(id)).pipe(orFail(() => new ProjectNotFound())),
  lockOfRun: (id) => tx.first(lockProjectOfRun(id)),
  lockShared: (of, and) => tx.read(lockProjectsShared(of, and)),
  heldByBudgetAt: (id, companyId) =>
    tx.first(heldProject(id, companyId)).pipe(Effect.map((found) => found?.heldByBudgetAt ?? null)),
  isArchived: (id) => tx.first(archivedProject(id)).pipe(Effect.map((found) => found !== null)),
  insert: (project) => tx.write(insertProject(project)),
  save: (project) => tx.write(saveProject(project)),
  setBudgetHold: (id, heldAt) => tx.write(setBudgetHold("projects", id, heldAt)),
  lockHeldBefore: (at, limit) => tx.read(lockHeldBefore("projects", projectColumns, at, limit)),
});

const lockProject = (id: ProjectId) => (sql: Sql) =>
  sql<Project[]>`
  select  ${projectColumns(sql)}
  from    projects
  where   id = ${id}
  for     no key update
`;

const lockProjectOfRun = (id: RunId) => (sql: Sql) =>
  sql<Project[]>`
  select  ${projectColumns(sql)}
  from    projects
  where   id = (
            select    case when cost.id is null then issue.project_id else cost.project_id end
            from      runs run
            left join cost_events cost on cost.run_id = run.id and cost.source = 'adapter'
            left join issues issue on issue.id = run.issue_id
            where     run.id = ${id}
          )
  for     no key update
`;

const lockProjectsShared = (of: IssueId, and: ProjectId | null) => (sql: Sql) =>
  sql<Pick<Project, "id" | "heldByBudgetAt">[]>`
  select    id, held_by_budget_at
  from      projects
  where     id in ((select project_id from issues where id = ${of}), ${and}::uuid)
  and       company_id = (select company_id from issues where id = ${of})
  order by  id
  for       share
`;

const heldProject = (id: ProjectId, companyId: CompanyId) => (sql: Sql) =>
  sql<Pick<Project, "heldByBudgetAt">[]>`
  select  held_by_budget_at
  from    projects
  where   id = ${id}
  and     company_id = ${companyId}
`;

const archivedProject = (id: ProjectId) => (sql: Sql) =>
  sql<object[]>`
  select  id
  from    projects
  where   id = ${id}
  and     archived_at is not null
`;

const insertProject = (project: Project) => (sql: Sql) =>
  sql`
  insert into projects ${projectColumns.values(sql, project)}
`;

const savedColumns = projectColumns.without("id, company_id, held_by_budget_at, created_at");

const saveProject = (project: Project) => (sql: Sql) =>
  sql`
  update  projects
  set     ${savedColumns.assign(sql, project)}
  where   id = ${project.id}
`;
