import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import type { CompanyId, WorkspaceId } from "../../../core/model/shared/ids.ts";
import { WorkspaceNotFound } from "../../../core/model/workspaces/removal.ts";
import type {
  IssueWorkspaceViews,
  WorkspaceBranch,
  WorkspaceCommandRecord,
  WorkspaceFilter,
  WorkspaceRecord,
} from "../../../ports/views/issue-workspace-views.ts";
import { shownAs } from "../../../ports/views/page.ts";
import { workspaceCommandColumns } from "../columns.ts";
import { byId, readPage } from "../cursor.ts";
import { type Database, plannedForItsValues } from "../database.ts";
import { companyStatusOf, setOf } from "../facts.ts";
import { fromJsonRow, type JsonRow } from "../json-rows.ts";
import { orFail } from "../rows.ts";

export const issueWorkspaceViews = (database: Database): IssueWorkspaceViews => ({
  list: (companyId, filter, page) =>
    readPage(
      database,
      { kind: "workspaces", of: { companyId, ...filter } },
      byId,
      page,
      // Planned for any company, it would read the workspaces of all for those of a small one.
      (before: readonly [id: string] | null, limit: number) =>
        plannedForItsValues<WorkspaceRow>(listWorkspaces(companyId, filter)(before, limit)),
    ).pipe(Effect.map(shownAs(recordOf))),
  get: (id) =>
    database.first(getWorkspace(id)).pipe(
      orFail(() => new WorkspaceNotFound()),
      Effect.map(recordOf),
    ),
  commands: (id, page) =>
    readPage(database, { kind: "workspace commands", of: { id } }, byId, page, listCommands(id)),
});

type WorkspaceRow = Omit<WorkspaceRecord, "branches"> & { readonly branches: readonly JsonRow[] };
type BranchRow = Omit<WorkspaceBranch, "kept"> & { readonly kept: JsonRow | null };

const branchOf = fromJsonRow<BranchRow>({ publishedAt: true, mergedAt: true, abandonedAt: true });
const keptOf = fromJsonRow<NonNullable<WorkspaceBranch["kept"]>>({ keptAt: true });

const recordOf = ({ branches, ...row }: WorkspaceRow): WorkspaceRecord => ({
  ...row,
  branches: branches
    .map(branchOf)
    .map(({ kept, ...branch }) => ({ ...branch, kept: kept === null ? null : keptOf(kept) })),
});

/** A `WorkspaceRow`, of `issue_workspaces workspace` and `issues issue`. */
const workspaceRow = (sql: Sql) => sql`
  workspace.id, workspace.company_id, workspace.issue_id, issue.identifier as issue_identifier, issue.title as issue_title,
  workspace.agent_id, workspace.run_id, workspace.problem, workspace.uncaptured_run_id, workspace.made_at, workspace.removal_id, workspace.first_port, workspace.bytes, workspace.used_at,
  workspace.created_at, ${companyStatusOf(sql, sql`workspace`)},
  exists (
    select
    from    runs
    where   runs.id = workspace.run_id
    and     runs.status in ${setOf(sql, liveRunStatuses)}
  ) as is_in_use,
  (select volume.host from volumes volume where volume.id = workspace.volume) as host,
  (
    select  coalesce(
              jsonb_agg(
                jsonb_build_object(
                  'repository_id', branch.repository_id, 'url', repository.url, 'branch', branch.branch,
                  'base_branch', branch.base_branch, 'head', branch.head, 'published_at', branch.published_at,
                  'merged_at', branch.merged_at, 'abandoned_at', branch.abandoned_at, 'captured_run_id', branch.captured_run_id,
                  'kept', (
                    select  jsonb_build_object(
                              'head', work.head, 'files', work.files, 'branch', work.branch, 'state', work.state,
                              'left_out', work.left_out, 'kept_at', work.captured_at
                            )
                    from    run_works work
                    where   work.run_id = workspace.run_id
                    and     work.repository_id = branch.repository_id
                  )
                )
                order by branch.repository_id
              ),
              '[]'
            )
    from    issue_branches branch
    join    repositories repository on repository.id = branch.repository_id
    where   branch.issue_id = workspace.issue_id
  ) as branches
`;

const listWorkspaces =
  (companyId: CompanyId, { issueId, projectId }: WorkspaceFilter) =>
  (before: readonly [id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<WorkspaceRow[]>`
  select    ${workspaceRow(sql)}
  from      issue_workspaces workspace
  join      issues issue on issue.id = workspace.issue_id
  where     workspace.company_id = ${companyId}
  ${issueId === undefined ? sql`` : sql`and workspace.issue_id = ${issueId}`}
  ${projectId === undefined ? sql`` : sql`and issue.project_id = ${projectId}`}
  ${before === null ? sql`` : sql`and workspace.id < ${before[0]}`}
  order by  workspace.id desc
  limit     ${limit}
`;

const shownCommandColumns = workspaceCommandColumns.without("company_id, workspace_id");

const listCommands =
  (workspaceId: WorkspaceId) => (before: readonly [id: string] | null, limit: number) => (sql: Sql) =>
    sql<WorkspaceCommandRecord[]>`
  select    ${shownCommandColumns(sql)}, workspace_id as tree_id
  from      workspace_commands
  where     workspace_id = ${workspaceId}
  ${before === null ? sql`` : sql`and id < ${before[0]}`}
  order by  id desc
  limit     ${limit}
`;

const getWorkspace = (id: WorkspaceId) => (sql: Sql) =>
  sql<WorkspaceRow[]>`
  select  ${workspaceRow(sql)}
  from    issue_workspaces workspace
  join    issues issue on issue.id = workspace.issue_id
  where   workspace.id = ${id}
`;
