import type { Sql } from "postgres";
import type { IssueId, RepositoryId, RunId, VolumeId, WorkspaceId } from "../../../core/model/shared/ids.ts";
import type { RunWork } from "../../../core/model/workspaces/run-work.ts";
import type { UncheckedPack, WorkspaceStore } from "../../../ports/stores/workspace-store.ts";
import { runWorkColumns } from "../columns.ts";
import { json } from "../rows.ts";

export const worksOfRun = (runId: RunId) => (sql: Sql) =>
  sql<RunWork[]>`
  select    ${runWorkColumns(sql)}
  from      run_works
  where     run_id = ${runId}
  order by  repository_id
`;

export const leftOutOf = (id: WorkspaceId) => (sql: Sql) =>
  sql<{ runId: RunId }[]>`
  select  work.run_id
  from    run_works work
  where   work.run_id = (
            select    latest.run_id
            from      issue_workspaces
            join      run_works latest on latest.issue_id = issue_workspaces.issue_id
            where     issue_workspaces.id = ${id}
            and       latest.workspace_id = issue_workspaces.id
            order by  latest.captured_at desc
            limit     1
          )
  and     jsonb_array_length(work.left_out) > 0
  limit   1
`;

export const putRunWork = (work: RunWork) => (sql: Sql) =>
  sql`
  insert into run_works (
    ${runWorkColumns(sql)}, pack_checked_at
  )
  values (
    ${work.runId}, ${work.repositoryId}, ${work.companyId}, ${work.issueId}, ${work.workspaceId}, ${work.head},
    ${work.files}, ${work.base}, ${work.branch}, ${work.state}, ${json(sql, work.leftOut)}, ${work.blobKey}, ${work.packBytes},
    ${work.capturedAt}, ${work.capturedAt}
  )
  on conflict (run_id, repository_id) do update
  set         head       = excluded.head,
              files      = excluded.files,
              base       = excluded.base,
              branch     = excluded.branch,
              state      = excluded.state,
              left_out   = excluded.left_out,
              blob_key   = excluded.blob_key,
              pack_bytes = excluded.pack_bytes,
              captured_at    = excluded.captured_at,
              pack_checked_at = excluded.pack_checked_at,
              pack_problem    = null
`;

export const uncheckedPacks = (volume: VolumeId, limit: number) => (sql: Sql) =>
  sql<UncheckedPack[]>`
  select    run_id, repository_id, company_id, blob_key
  from      run_works
  where     blob_key is not null
  and       pack_checked_at is null
  and       coalesce((select issue_workspaces.volume from issue_workspaces where issue_workspaces.id = run_works.workspace_id), ${volume}) = ${volume}
  order by  run_id, repository_id
  limit     ${limit}
`;

export const recordPack =
  ({ runId, repositoryId, packBytes, problem, at }: Parameters<WorkspaceStore["recordPack"]>[0]) =>
  (sql: Sql) =>
    sql`
  update  run_works
  set     pack_checked_at = ${at},
          pack_bytes      = coalesce(${packBytes ?? null}::bigint, pack_bytes),
          pack_problem    = ${problem}
  where   run_id = ${runId}
  and     repository_id = ${repositoryId}
`;

export const findRunWork = (runId: RunId, repositoryId: RepositoryId) => (sql: Sql) =>
  sql<RunWork[]>`
  select  ${runWorkColumns(sql)}
  from    run_works
  where   run_id = ${runId}
  and     repository_id = ${repositoryId}
`;

export const findWorkAt = (issueId: IssueId, repositoryId: RepositoryId, head: string) => (sql: Sql) =>
  sql<RunWork[]>`
  select    ${runWorkColumns(sql)}
  from      run_works
  where     issue_id = ${issueId}
  and       repository_id = ${repositoryId}
  and       head = ${head}
  and       blob_key is not null
  order by  captured_at desc
  limit     1
`;
