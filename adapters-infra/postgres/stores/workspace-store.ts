import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { closedStatuses } from "../../../core/model/issues/issue-status.ts";
import type { RepositoryMode } from "../../../core/model/repositories/repository.ts";
import { liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import type { AgentId, IssueId, RunId, VolumeId, WorkspaceId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { IssueWorkspace, LockedWorkspace } from "../../../core/model/workspaces/issue-workspace.ts";
import type { ProjectFolder } from "../../../core/model/workspaces/project-disk-use.ts";
import { commandsMost, type WorkspaceCommand } from "../../../core/model/workspaces/workspace-command.ts";
import type { UncapturedWorkspace, WorkspaceStore } from "../../../ports/stores/workspace-store.ts";
import { workspaceColumns, workspaceCommandColumns } from "../columns.ts";
import { setOf } from "../facts.ts";
import type { Statements } from "../transaction.ts";
import {
  findRunWork,
  findWorkAt,
  leftOutOf,
  putRunWork,
  recordPack,
  uncheckedPacks,
  worksOfRun,
} from "./run-works.ts";

export const workspaceStore = (tx: Statements): WorkspaceStore => ({
  lockOf: (issueId) => tx.read(lockTreesOf(issueId)),
  find: (id) => tx.first(findTree(id)),
  lock: (id) => tx.first(lockTree(id)),
  ofRun: (runId) => tx.first(treeOfRun(runId)),
  forRun: (runId, issueId) =>
    tx
      .first(treeForRun(runId, issueId))
      .pipe(Effect.map((found) => found ?? { tree: null, isNextRuns: false })),
  uncapturedBy: (runId) => tx.first(treeUnkeptBy(runId)),
  freePort: Effect.fnUntraced(function* (volume, ports) {
    yield* tx.write(lockPorts());
    const found = yield* tx.first(freePortOf(volume, ports));
    return found?.port ?? null;
  }),
  insert: (tree) => tx.write(insertTree(tree)),
  save: (tree) => tx.write(saveTree(tree)),
  putWork: (work) => tx.write(putRunWork(work)),
  uncheckedPacks: (volume, limit) => tx.read(uncheckedPacks(volume, limit)),
  recordPack: (found) => tx.write(recordPack(found)),
  works: (runId) => tx.read(worksOfRun(runId)),
  hasLeftOut: (id) => tx.first(leftOutOf(id)).pipe(Effect.map((found) => found !== null)),
  takeIdle: (volume, times, limit) =>
    tx.read(takeIdleTrees(volume, times, limit)).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
  claimUncaptured: (volume, times, limit) => tx.read(takeUnkeptTrees(volume, times, limit)),
  folders: () => tx.read(foldersOfProjects()),
  takeRemoval: (id, times) => tx.first(takeRemoval(id, times)),
  renewRemoval: (id, removalId, at) => tx.write(renewRemoval(id, removalId, at)),
  toRemove: (volume, limit) =>
    tx.read(treesToRemove(volume, limit)).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
  putCommand: Effect.fnUntraced(function* (command) {
    yield* tx.write(insertCommand(command));
    yield* tx.write(deleteOldCommands(command.treeId));
  }),
  workerIn: (id, runId) => tx.first(workerIn(id, runId)).pipe(Effect.map((found) => found!)),
  work: (runId, repositoryId) => tx.first(findRunWork(runId, repositoryId)),
  workAt: (issueId, repositoryId, head) => tx.first(findWorkAt(issueId, repositoryId, head)),
});

/** Of `trees`. */
const isTaken = (sql: Sql) => sql`
  exists (
    select
    from    runs
    where   runs.id = trees.run_id
    and     runs.status in ${setOf(sql, liveRunStatuses)}
  )
`;

const lockTreesOf = (issueId: IssueId) => (sql: Sql) =>
  sql<LockedWorkspace[]>`
  select    ${workspaceColumns(sql)}, ${isTaken(sql)} as is_taken
  from      trees
  where     issue_id = ${issueId}
  order by  id
  for       no key update
`;

const findTree = (id: WorkspaceId) => (sql: Sql) =>
  sql<IssueWorkspace[]>`
  select  ${workspaceColumns(sql)}
  from    trees
  where   id = ${id}
`;

/** Facts of a removal count whether an instant is there, not which. */
const foldersOfProjects = () => (sql: Sql) =>
  sql<ProjectFolder[]>`
  select  trees.company_id, issue.project_id, trees.bytes,
          jsonb_build_object(
            'agentId', trees.agent_id, 'isTaken', ${isTaken(sql)}, 'madeAt', trees.made_at, 'problem', trees.problem,
            'unkeptRunId', trees.unkept_run_id
          ) as tree,
          (
            select  coalesce(
                      jsonb_agg(
                        jsonb_build_object(
                          'head', branch.head, 'publishedAt', branch.published_at, 'mergedAt', branch.merged_at,
                          'givenUpAt', branch.given_up_at
                        )
                      ),
                      '[]'
                    )
            from    issue_branches branch
            where   branch.issue_id = trees.issue_id
          ) as branches,
          (
            select  coalesce(
                      jsonb_agg(jsonb_build_object('head', work.head, 'files', work.files, 'leftOut', work.left_out)),
                      '[]'
                    )
            from    run_works work
            where   work.run_id = trees.run_id
          ) as works
  from    trees
  join    issues issue on issue.id = trees.issue_id
  where   trees.made_at is not null
  and     issue.project_id is not null
`;

const workerIn = (id: WorkspaceId, runId: RunId) => (sql: Sql) =>
  sql<{ identifier: string; agentId: AgentId | null; agentName: string | null }[]>`
  select    issue.identifier, agent.id as agent_id, agent.name as agent_name
  from      trees
  join      issues issue on issue.id = trees.issue_id
  left join runs run on run.id = ${runId}
  left join agents agent on agent.id = run.agent_id
  where     trees.id = ${id}
`;

const takeIdleTrees =
  (
    volume: VolumeId,
    { at, usedBefore, triedBefore }: Parameters<WorkspaceStore["takeIdle"]>[1],
    limit: number,
  ) =>
  (sql: Sql) =>
    sql<{ id: WorkspaceId }[]>`
  update    trees
  set       tried_at = ${at}
  where     id in (
              select    trees.id
              from      trees
              join      issues issue on issue.id = trees.issue_id
              where     trees.volume = ${volume}
              and       trees.made_at is not null
              and       trees.unkept_run_id is null
              and       trees.used_at < ${usedBefore}
              and       (trees.tried_at is null or trees.tried_at < ${triedBefore})
              and       issue.status in ${setOf(sql, closedStatuses)}
              and       not ${isTaken(sql)}
              order by  trees.used_at
              limit     ${limit}
              for       no key update of trees skip locked
            )
  returning id
`;

const takeUnkeptTrees =
  (volume: VolumeId, { at, before }: { readonly at: Instant; readonly before: Instant }, limit: number) =>
  (sql: Sql) =>
    sql<UncapturedWorkspace[]>`
  update    trees
  set       tried_at = ${at}
  where     id in (
              select    id
              from      trees
              where     volume = ${volume}
              and       unkept_run_id is not null
              and       (tried_at is null or tried_at < ${before})
              and       not ${isTaken(sql)}
              order by  tried_at nulls first, id
              limit     ${limit}
              for       no key update skip locked
            )
  returning id, unkept_run_id
`;

const treesToRemove = (volume: VolumeId, limit: number) => (sql: Sql) =>
  sql<{ id: WorkspaceId }[]>`
  select    id
  from      trees
  where     volume = ${volume}
  and       removal_id is not null
  order by  id
  limit     ${limit}
`;

const takeRemoval =
  (id: WorkspaceId, { at, before }: { readonly at: Instant; readonly before: Instant }) =>
  (sql: Sql) =>
    sql<IssueWorkspace[]>`
  update    trees
  set       tried_at = ${at}
  where     id = ${id}
  and       removal_id is not null
  and       (tried_at is null or tried_at < ${before})
  returning ${workspaceColumns(sql)}
`;

const renewRemoval = (id: WorkspaceId, removalId: string, at: Instant) => (sql: Sql) =>
  sql`
  update  trees
  set     tried_at = ${at}
  where   id = ${id}
  and     removal_id = ${removalId}
`;

const lockTree = (id: WorkspaceId) => (sql: Sql) =>
  sql<LockedWorkspace[]>`
  select  ${workspaceColumns(sql)}, ${isTaken(sql)} as is_taken
  from    trees
  where   id = ${id}
  for     no key update
`;

const treeOfRun = (runId: RunId) => (sql: Sql) =>
  sql<IssueWorkspace[]>`
  select  ${workspaceColumns(sql)}
  from    trees
  where   run_id = ${runId}
`;

const ofEachIssue: RepositoryMode = "issue";

const treeForRun = (runId: RunId, issueId: IssueId) => (sql: Sql) =>
  sql<{ tree: WorkspaceId | null; isNextRuns: boolean }[]>`
  select  (
            select  id
            from    trees
            where   trees.run_id = run.id
            and     trees.issue_id = issue.id
          ) as tree,
          run.issue_id is distinct from issue.id
            and exists (
              select
              from    repositories repository
              where   repository.project_id = issue.project_id
              and     repository.mode = ${ofEachIssue}
              and     repository.removed_at is null
            ) as is_next_runs
  from    runs run
  join    issues issue on issue.id = ${issueId}
  where   run.id = ${runId}
`;

const treeUnkeptBy = (runId: RunId) => (sql: Sql) =>
  sql<IssueWorkspace[]>`
  select  ${workspaceColumns(sql)}
  from    trees
  where   unkept_run_id = ${runId}
`;

const lockPorts = () => (sql: Sql) =>
  sql`select pg_advisory_xact_lock(hashtextextended('trees.first_port', 0))`;

const freePortOf =
  (volume: VolumeId, { from, to, each }: Parameters<WorkspaceStore["freePort"]>[1]) =>
  (sql: Sql) =>
    sql<{ port: number }[]>`
  select    port
  from      generate_series(${from}::int, ${to - each + 1}::int, ${each}::int) as port
  where     not exists (
              select
              from    trees
              where   trees.volume = ${volume}
              and     trees.first_port = port
            )
  order by  port
  limit     1
`;

const insertCommand = (command: WorkspaceCommand) => (sql: Sql) =>
  sql`
  insert into workspace_commands ${workspaceCommandColumns.values(sql, command)}
`;

const deleteOldCommands = (treeId: WorkspaceId) => (sql: Sql) =>
  sql`
  delete from workspace_commands
  where   tree_id = ${treeId}
  and     id not in (
            select    id
            from      workspace_commands
            where     tree_id = ${treeId}
            order by  id desc
            limit     ${commandsMost}
          )
`;

const insertTree = (tree: IssueWorkspace) => (sql: Sql) =>
  sql`
  insert into trees ${workspaceColumns.values(sql, tree)}
`;

const savedColumns = workspaceColumns.without(`
  id, company_id, issue_id, volume, agent_id, created_at, tried_at
`);

const saveTree = (tree: IssueWorkspace) => (sql: Sql) =>
  sql`
  update  trees
  set     ${savedColumns.assign(sql, tree)}
  where   id = ${tree.id}
`;
