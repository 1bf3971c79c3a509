import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { IssueBranch } from "../../../core/model/repositories/issue-branch.ts";
import type { Pushed } from "../../../core/model/repositories/push-limits.ts";
import { type Repository, RepositoryNotFound } from "../../../core/model/repositories/repository.ts";
import { liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import type { CompanyId, IssueId, ProjectId, RepositoryId, RunId } from "../../../core/model/shared/ids.ts";
import type { ProjectStores } from "../../../core/model/workspaces/project-disk-use.ts";
import type { StoreOf } from "../../../ports/code-stores.ts";
import type { RepositoryStore, RunInRepository } from "../../../ports/stores/repository-store.ts";
import { issueBranchColumns, repositoryColumns } from "../columns.ts";
import { setOf } from "../facts.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";
import { repositoriesUsing } from "../using-secret.ts";

export const repositoryStore = (tx: Statements): RepositoryStore => ({
  lock: (id) => tx.first(lockRepository(id)).pipe(orFail(() => new RepositoryNotFound())),
  find: (id) => tx.first(findRepository(id)).pipe(orFail(() => new RepositoryNotFound())),
  ofProject: (projectId) => tx.read(repositoriesOfProject(projectId)),
  usingSecret: (secretId) => tx.read(repositoriesUsing(secretId)),
  all: () => tx.read(allRepositories()),
  recordStoreBytes: (id, bytes) => tx.write(recordStoreBytes(id, bytes)),
  storeSizes: () => tx.read(storeSizes()),
  insert: (repository) => tx.write(insertRepository(repository)),
  save: (repository) => tx.write(saveRepository(repository)),
  holdsWork: (id) => tx.first(workIn(id)).pipe(Effect.map((found) => found !== null)),
  runIn: (id, runId) => tx.first(runIn(id, runId)),
  countPush: (runId, bytes) => tx.write(countPush(runId, bytes)),
  pushed: (runId) => Effect.map(tx.first(pushedBy(runId)), (found) => found ?? { pushes: 0, bytes: 0 }),
  uncapturedIn: (id, runId) =>
    tx.first(uncapturedIn(id, runId)).pipe(Effect.map((found) => found?.companyId ?? null)),
  lockBranches: (issueId) => tx.read(lockBranchesOf(issueId)),
  insertBranch: (branch) => tx.write(insertIssueBranch(branch)),
  saveBranch: (branch) => tx.write(saveIssueBranch(branch)),
  branchesOf: (issueId) => tx.read(branchesOfIssue(issueId)),
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

const allRepositories = () => (sql: Sql) =>
  sql<StoreOf[]>`
  select    company_id, id as repository_id
  from      repositories
  order by  id
`;

const recordStoreBytes = (id: RepositoryId, bytes: number) => (sql: Sql) =>
  sql`
  update  repositories
  set     store_bytes = ${bytes}
  where   id = ${id}
`;

const storeSizes = () => (sql: Sql) =>
  sql<ProjectStores[]>`
  select    company_id, project_id, sum(store_bytes)::float8 as bytes
  from      repositories
  where     store_bytes is not null
  group by  company_id, project_id
`;

const insertRepository = (repository: Repository) => (sql: Sql) =>
  sql`
  insert into repositories ${repositoryColumns.values(sql, repository)}
`;

const savedColumns = repositoryColumns.without("id, company_id, project_id, created_at");

const saveRepository = (repository: Repository) => (sql: Sql) =>
  sql`
  update  repositories
  set     ${savedColumns.assign(sql, repository)}
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
          issue.assignee_agent_id is not distinct from run.agent_id as is_assignee,
          (
            select  captured_run_id
            from    issue_branches branch
            where   branch.issue_id = issue.id
            and     branch.repository_id = repository.id
          ) as captured_run_id,
          jsonb_build_object('pushes', coalesce(push.pushes, 0), 'bytes', coalesce(push.bytes, 0)) as pushed,
          run.stop_requested_at is not null as is_stopping
  from    runs run
  join    issues issue on issue.id = run.issue_id
  join    repositories repository on repository.project_id = issue.project_id
  left join run_pushes push on push.run_id = run.id
  where   run.id = ${runId}
  and     run.status in ${setOf(sql, liveRunStatuses)}
  and     repository.id = ${id}
  and     repository.removed_at is null
`;

const countPush = (runId: RunId, bytes: number) => (sql: Sql) =>
  sql`
  insert into run_pushes (run_id, company_id, pushes, bytes)
  select      id, company_id, 1, ${bytes}::bigint
  from        runs
  where       id = ${runId}
  on conflict (run_id) do update
  set         pushes = run_pushes.pushes + 1,
              bytes  = run_pushes.bytes + excluded.bytes
`;

const pushedBy = (runId: RunId) => (sql: Sql) =>
  sql<Pushed[]>`
  select  pushes, bytes::float8 as bytes
  from    run_pushes
  where   run_id = ${runId}
`;

const uncapturedIn = (id: RepositoryId, runId: RunId) => (sql: Sql) =>
  sql<{ companyId: CompanyId }[]>`
  select  repository.company_id
  from    issue_workspaces workspace
  join    issues issue on issue.id = workspace.issue_id
  join    repositories repository on repository.project_id = issue.project_id
  where   workspace.uncaptured_run_id = ${runId}
  and     repository.id = ${id}
  limit   1
`;

const lockBranchesOf = (issueId: IssueId) => (sql: Sql) =>
  sql<IssueBranch[]>`
  select    ${issueBranchColumns(sql)}
  from      issue_branches
  where     issue_id = ${issueId}
  order by  repository_id
  for       no key update
`;

const insertIssueBranch = (branch: IssueBranch) => (sql: Sql) =>
  sql`
  insert into issue_branches ${issueBranchColumns.values(sql, branch)}
  on conflict (issue_id, repository_id) do nothing
`;

const savedBranchColumns = issueBranchColumns.without(`
  issue_id, repository_id, company_id, branch, created_at
`);

const saveIssueBranch = (branch: IssueBranch) => (sql: Sql) =>
  sql`
  update  issue_branches
  set     ${savedBranchColumns.assign(sql, branch)}
  where   issue_id = ${branch.issueId}
  and     repository_id = ${branch.repositoryId}
`;

const branchesOfIssue = (issueId: IssueId) => (sql: Sql) =>
  sql<IssueBranch[]>`
  select    ${issueBranchColumns(sql)}
  from      issue_branches
  where     issue_id = ${issueId}
  and       repository_id in (select id from repositories where removed_at is null)
  order by  repository_id
`;
