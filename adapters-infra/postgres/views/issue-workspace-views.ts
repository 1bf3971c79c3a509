import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import type { CompanyId, WorkspaceId } from "../../../core/model/shared/ids.ts";
import { WorkspaceNotFound } from "../../../core/model/workspaces/removal.ts";
import type { WorkspaceCommand } from "../../../core/model/workspaces/workspace-command.ts";
import type {
  IssueWorkspaceViews,
  WorkspaceBranch,
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
        plannedForItsValues<TreeRow>(listTrees(companyId, filter)(before, limit)),
    ).pipe(Effect.map(shownAs(recordOf))),
  get: (id) =>
    database.first(getTree(id)).pipe(
      orFail(() => new WorkspaceNotFound()),
      Effect.map(recordOf),
    ),
  commands: (id, page) =>
    readPage(database, { kind: "workspace commands", of: { id } }, byId, page, listCommands(id)),
});

type TreeRow = Omit<WorkspaceRecord, "branches"> & { readonly branches: readonly JsonRow[] };
type BranchRow = Omit<WorkspaceBranch, "kept"> & { readonly kept: JsonRow | null };

const branchOf = fromJsonRow<BranchRow>({ publishedAt: true, mergedAt: true, givenUpAt: true });
const keptOf = fromJsonRow<NonNullable<WorkspaceBranch["kept"]>>({ keptAt: true });

const recordOf = ({ branches, ...row }: TreeRow): WorkspaceRecord => ({
  ...row,
  branches: branches
    .map(branchOf)
    .map(({ kept, ...branch }) => ({ ...branch, kept: kept === null ? null : keptOf(kept) })),
});

/** A `TreeRow`, of `trees tree` and `issues issue`. */
const treeRow = (sql: Sql) => sql`
  tree.id, tree.company_id, tree.issue_id, issue.identifier as issue_identifier, issue.title as issue_title,
  tree.agent_id, tree.run_id, tree.problem, tree.unkept_run_id, tree.made_at, tree.removal_id, tree.first_port, tree.bytes, tree.used_at,
  tree.created_at, ${companyStatusOf(sql, sql`tree`)},
  exists (
    select
    from    runs
    where   runs.id = tree.run_id
    and     runs.status in ${setOf(sql, liveRunStatuses)}
  ) as is_taken,
  (select volume.host from volumes volume where volume.id = tree.volume) as host,
  (
    select  coalesce(
              jsonb_agg(
                jsonb_build_object(
                  'repository_id', branch.repository_id, 'url', repository.url, 'branch', branch.branch,
                  'base_branch', branch.base_branch, 'head', branch.head, 'published_at', branch.published_at,
                  'merged_at', branch.merged_at, 'given_up_at', branch.given_up_at, 'kept_run_id', branch.kept_run_id,
                  'kept', (
                    select  jsonb_build_object(
                              'head', work.head, 'files', work.files, 'branch', work.branch, 'state', work.state,
                              'left_out', work.left_out, 'kept_at', work.kept_at
                            )
                    from    run_works work
                    where   work.run_id = tree.run_id
                    and     work.repository_id = branch.repository_id
                  )
                )
                order by branch.repository_id
              ),
              '[]'
            )
    from    issue_branches branch
    join    repositories repository on repository.id = branch.repository_id
    where   branch.issue_id = tree.issue_id
  ) as branches
`;

const listTrees =
  (companyId: CompanyId, { issueId, projectId }: WorkspaceFilter) =>
  (before: readonly [id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<TreeRow[]>`
  select    ${treeRow(sql)}
  from      trees tree
  join      issues issue on issue.id = tree.issue_id
  where     tree.company_id = ${companyId}
  ${issueId === undefined ? sql`` : sql`and tree.issue_id = ${issueId}`}
  ${projectId === undefined ? sql`` : sql`and issue.project_id = ${projectId}`}
  ${before === null ? sql`` : sql`and tree.id < ${before[0]}`}
  order by  tree.id desc
  limit     ${limit}
`;

const shownCommandColumns = workspaceCommandColumns.without("company_id");

const listCommands =
  (treeId: WorkspaceId) => (before: readonly [id: string] | null, limit: number) => (sql: Sql) =>
    sql<Omit<WorkspaceCommand, "companyId">[]>`
  select    ${shownCommandColumns(sql)}
  from      workspace_commands
  where     tree_id = ${treeId}
  ${before === null ? sql`` : sql`and id < ${before[0]}`}
  order by  id desc
  limit     ${limit}
`;

const getTree = (id: WorkspaceId) => (sql: Sql) =>
  sql<TreeRow[]>`
  select  ${treeRow(sql)}
  from    trees tree
  join    issues issue on issue.id = tree.issue_id
  where   tree.id = ${id}
`;
