import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Repository, RepositoryNotFound } from "../../../core/repositories/repository.ts";
import { liveRunStatuses } from "../../../core/runs/run-status.ts";
import type { ProjectId, RepositoryId, RunId, SecretId } from "../../../core/shared/ids.ts";
import type { StoreOf } from "../../../ports/code-stores.ts";
import type { RepositoryStore, RunInRepository } from "../../../ports/stores/repository-store.ts";
import { repositoryColumns } from "../columns.ts";
import { setOf } from "../facts.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const repositoryStore = (tx: Statements): RepositoryStore => ({
  lock: (id) => tx.first(lockRepository(id)).pipe(orFail(() => new RepositoryNotFound())),
  find: (id) => tx.first(findRepository(id)).pipe(orFail(() => new RepositoryNotFound())),
  ofProject: (projectId) => tx.read(repositoriesOfProject(projectId)),
  usingSecret: (secretId) => tx.read(repositoriesUsing(secretId)),
  all: () => tx.read(allRepositories()),
  insert: (repository) => tx.write(insertRepository(repository)),
  save: (repository) => tx.write(saveRepository(repository)),
  holdsWork: (id) => tx.first(workIn(id)).pipe(Effect.map((found) => found !== null)),
  runIn: (id, runId) => tx.first(runIn(id, runId)),
});

const lockRepository = (id: RepositoryId) => (sql: Sql) =>
  sql<Repository[]>`
  select  ${repositoryColumns(sql)}
  from    repositories
  where   id = ${id}
  and     removed_at is null
  for     no key update
`;

const findRepository = (id: RepositoryId) => (sql: Sql) =>
  sql<Repository[]>`
  select  ${repositoryColumns(sql)}
  from    repositories
  where   id = ${id}
  and     removed_at is null
`;

const repositoriesOfProject = (projectId: ProjectId) => (sql: Sql) =>
  sql<Repository[]>`
  select    ${repositoryColumns(sql)}
  from      repositories
  where     project_id = ${projectId}
  and       removed_at is null
  order by  id
`;

const repositoriesUsing = (secretId: SecretId) => (sql: Sql) =>
  sql<Pick<Repository, "id" | "url">[]>`
  select    id, url
  from      repositories
  where     credential_secret_id = ${secretId}
  and       removed_at is null
  order by  id
`;

const allRepositories = () => (sql: Sql) =>
  sql<StoreOf[]>`
  select    company_id, id as repository_id
  from      repositories
  order by  id
`;

const insertRepository = (repository: Repository) => (sql: Sql) =>
  sql`
  insert into repositories (
    ${repositoryColumns(sql)}
  )
  values (
    ${repository.id}, ${repository.companyId}, ${repository.projectId}, ${repository.url},
    ${repository.defaultBranch}, ${repository.credentialSecretId}, ${repository.directory}, ${repository.mode},
    ${repository.allowPrivateHost}, ${repository.checkedAt}, ${repository.problem}, ${repository.removedAt},
    ${repository.createdAt}, ${repository.updatedAt}
  )
`;

const saveRepository = (repository: Repository) => (sql: Sql) =>
  sql`
  update  repositories
  set     url                  = ${repository.url},
          default_branch       = ${repository.defaultBranch},
          credential_secret_id = ${repository.credentialSecretId},
          directory            = ${repository.directory},
          mode                 = ${repository.mode},
          allow_private_host   = ${repository.allowPrivateHost},
          checked_at           = ${repository.checkedAt},
          problem              = ${repository.problem},
          removed_at           = ${repository.removedAt},
          updated_at           = ${repository.updatedAt}
  where   id = ${repository.id}
`;

const workIn = (id: RepositoryId) => (sql: Sql) =>
  sql<object[]>`
  select  issue_id
  from    issue_branches
  where   repository_id = ${id}
  limit   1
`;

const runIn = (id: RepositoryId, runId: RunId) => (sql: Sql) =>
  sql<RunInRepository[]>`
  select  repository.company_id, issue.id as issue_id, issue.identifier,
          issue.assignee_agent_id is not distinct from run.agent_id as is_assignee
  from    runs run
  join    issues issue on issue.id = run.issue_id
  join    repositories repository on repository.project_id = issue.project_id
  where   run.id = ${runId}
  and     run.status in ${setOf(sql, liveRunStatuses)}
  and     repository.id = ${id}
  and     repository.removed_at is null
`;
