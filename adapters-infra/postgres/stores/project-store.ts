import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Project, ProjectNotFound } from "../../../core/projects/project.ts";
import type { ProjectId } from "../../../core/shared/ids.ts";
import type { ProjectStore } from "../../../ports/stores/project-store.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const projectStore = (tx: Statements): ProjectStore => ({
  lock: (id) => tx.first(lockProject(id)).pipe(orFail(() => new ProjectNotFound())),
  isArchived: (id) => tx.first(archivedProject(id)).pipe(Effect.map((found) => found !== null)),
  insert: (project) => tx.write(insertProject(project)),
  save: (project) => tx.write(saveProject(project)),
});

const lockProject = (id: ProjectId) => (sql: Sql) =>
  sql<Project[]>`
  select  id, company_id, name, description, status, lead_agent_id, target_date, archived_at, created_at, updated_at
  from    projects
  where   id = ${id}
  for     no key update
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
  insert into projects (
    id, company_id, name, description, status, lead_agent_id, target_date, archived_at, created_at, updated_at
  )
  values (
    ${project.id}, ${project.companyId}, ${project.name}, ${project.description}, ${project.status},
    ${project.leadAgentId}, ${project.targetDate}, ${project.archivedAt}, ${project.createdAt}, ${project.updatedAt}
  )
`;

const saveProject = (project: Project) => (sql: Sql) =>
  sql`
  update  projects
  set     name          = ${project.name},
          description   = ${project.description},
          status        = ${project.status},
          lead_agent_id = ${project.leadAgentId},
          target_date   = ${project.targetDate},
          archived_at   = ${project.archivedAt},
          updated_at    = ${project.updatedAt}
  where   id = ${project.id}
`;
