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
  lockOf: (issueId) => tx.read(lockWorkspacesOf(issueId)),
  find: (id) => tx.first(findWorkspace(id)),
  lock: (id) => tx.first(lockWorkspace(id)),
  ofRun: (runId) => tx.first(workspaceOfRun(runId)),
  forRun: (runId, issueId) =>
    tx
      .first(workspaceForRun(runId, issueId))
      .pipe(Effect.map((found) => found ?? { workspace: null, isNextRuns: false })),
  uncapturedBy: (runId) => tx.first(workspaceUncapturedBy(runId)),
  freePort: Effect.fnUntraced(function* (volume, ports) {
    yield* tx.write(lockPorts());
    const found = yield* tx.first(freePortOf(volume, ports));
    return found?.port ?? null;
  }),
  insert: (workspace) => tx.write(insertWorkspace(workspace)),
  save: (workspace) => tx.write(saveWorkspace(workspace)),
  putWork: (work) => tx.write(putRunWork(work)),
  uncheckedPacks: (volume, limit) => tx.read(uncheckedPacks(volume, limit)),
  recordPack: (found) => tx.write(recordPack(found)),
  works: (runId) => tx.read(worksOfRun(runId)),
  hasLeftOut: (id) => tx.first(leftOutOf(id)).pipe(Effect.map((found) => found !== null)),
  takeIdle: (volume, times, limit) =>
    tx.read(claimIdleWorkspaces(volume, times, limit)).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
  claimUncaptured: (volume, times, limit) => tx.read(claimUncapturedWorkspaces(volume, times, limit)),
  folders: () => tx.read(foldersOfProjects()),
  takeRemoval: (id, times) => tx.first(takeRemoval(id, times)),
  renewRemoval: (id, removalId, at) => tx.write(renewRemoval(id, removalId, at)),
  toRemove: (volume, limit) =>
    tx.read(workspacesToRemove(volume, limit)).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
  putCommand: Effect.fnUntraced(function* (command) {
    yield* tx.write(insertCommand(command));
    yield* tx.write(deleteOldCommands(command.workspaceId));
  }),
  workerIn: (id, runId) => tx.first(workerIn(id, runId)).pipe(Effect.map((found) => found!)),
  work: (runId, repositoryId) => tx.first(findRunWork(runId, repositoryId)),
  workAt: (issueId, repositoryId, head) => tx.first(findWorkAt(issueId, repositoryId, head)),
});

/** Of `issue_workspaces`. */
const isInUse = (sql: Sql) => sql`
  exists (
    select
    from    runs
    where   runs.id = issue_workspaces.run_id
    and     runs.status in ${setOf(sql, liveRunStatuses)}
  )
`;

const lockWorkspacesOf = (issueId: IssueId) => (sql: Sql) =>
  sql<LockedWorkspace[]>`
  select    ${workspaceColumns(sql)}, ${isInUse(sql)} as is_in_use
  from      issue_workspaces
  where     issue_id = ${issueId}
  order by  id
  for       no key update
`;

const findWorkspace = (id: WorkspaceId) => (sql: Sql) =>
  sql<IssueWorkspace[]>`
  select  ${workspaceColumns(sql)}
  from    issue_workspaces
  where   id = ${id}
`;

/** For a removal it matters only whether an instant is set, not which one. */
const foldersOfProjects = () => (sql: Sql) =>
  sql<ProjectFolder[]>`
  select  issue_workspaces.company_id, issue.project_id, issue_workspaces.bytes,
          jsonb_build_object(
            'agentId', issue_workspaces.agent_id, 'isInUse', ${isInUse(sql)}, 'madeAt', issue_workspaces.made_at, 'problem', issue_workspaces.problem,
            'uncapturedRunId', issue_workspaces.uncaptured_run_id
          ) as workspace,
          (
            select  coalesce(
                      jsonb_agg(
                        jsonb_build_object(
                          'head', branch.head, 'publishedAt', branch.published_at, 'mergedAt', branch.merged_at,
                          'abandonedAt', branch.abandoned_at
                        )
                      ),
                      '[]'
                    )
            from    issue_branches branch
            where   branch.issue_id = issue_workspaces.issue_id
          ) as branches,
          (
            select  coalesce(
                      jsonb_agg(jsonb_build_object('head', work.head, 'files', work.files, 'leftOut', work.left_out)),
                      '[]'
                    )
            from    run_works work
            where   work.run_id = issue_workspaces.run_id
          ) as works
  from    issue_workspaces
  join    issues issue on issue.id = issue_workspaces.issue_id
  where   issue_workspaces.made_at is not null
  and     issue.project_id is not null
`;

const workerIn = (id: WorkspaceId, runId: RunId) => (sql: Sql) =>
  sql<{ identifier: string; agentId: AgentId | null; agentName: string | null }[]>`
  select    issue.identifier, agent.id as agent_id, agent.name as agent_name
  from      issue_workspaces
  join      issues issue on issue.id = issue_workspaces.issue_id
  left join runs run on run.id = ${runId}
  left join agents agent on agent.id = run.agent_id
  where     issue_workspaces.id = ${id}
`;

const claimIdleWorkspaces =
  (
    volume: VolumeId,
    { at, usedBefore, triedBefore }: Parameters<WorkspaceStore["takeIdle"]>[1],
    limit: number,
  ) =>
  (sql: Sql) =>
    sql<{ id: WorkspaceId }[]>`
  update    issue_workspaces
  set       tried_at = ${at}
  where     id in (
              select    issue_workspaces.id
              from      issue_workspaces
              join      issues issue on issue.id = issue_workspaces.issue_id
              where     issue_workspaces.volume = ${volume}
              and       issue_workspaces.made_at is not null
              and       issue_workspaces.uncaptured_run_id is null
              and       issue_workspaces.used_at < ${usedBefore}
              and       (issue_workspaces.tried_at is null or issue_workspaces.tried_at < ${triedBefore})
              and       issue.status in ${setOf(sql, closedStatuses)}
              and       not ${isInUse(sql)}
              order by  issue_workspaces.used_at
              limit     ${limit}
              for       no key update of issue_workspaces skip locked
            )
  returning id
`;

const claimUncapturedWorkspaces =
  (volume: VolumeId, { at, before }: { readonly at: Instant; readonly before: Instant }, limit: number) =>
  (sql: Sql) =>
    sql<UncapturedWorkspace[]>`
  update    issue_workspaces
  set       tried_at = ${at}
  where     id in (
              select    id
              from      issue_workspaces
              where     volume = ${volume}
              and       uncaptured_run_id is not null
              and       (tried_at is null or tried_at < ${before})
              and       not ${isInUse(sql)}
              order by  tried_at nulls first, id
              limit     ${limit}
              for       no key update skip locked
            )
  returning id, uncaptured_run_id
`;

const workspacesToRemove = (volume: VolumeId, limit: number) => (sql: Sql) =>
  sql<{ id: WorkspaceId }[]>`
  select    id
  from      issue_workspaces
  where     volume = ${volume}
  and       removal_id is not null
  order by  id
  limit     ${limit}
`;

const takeRemoval =
  (id: WorkspaceId, { at, before }: { readonly at: Instant; readonly before: Instant }) =>
  (sql: Sql) =>
    sql<IssueWorkspace[]>`
  update    issue_workspaces
  set       tried_at = ${at}
  where     id = ${id}
  and       removal_id is not null
  and       (tried_at is null or tried_at < ${before})
  returning ${workspaceColumns(sql)}
`;

const renewRemoval = (id: WorkspaceId, removalId: string, at: Instant) => (sql: Sql) =>
  sql`
  update  issue_workspaces
  set     tried_at = ${at}
  where   id = ${id}
  and     removal_id = ${removalId}
`;

const lockWorkspace = (id: WorkspaceId) => (sql: Sql) =>
  sql<LockedWorkspace[]>`
  select  ${workspaceColumns(sql)}, ${isInUse(sql)} as is_in_use
  from    issue_workspaces
  where   id = ${id}
  for     no key update
`;

const workspaceOfRun = (runId: RunId) => (sql: Sql) =>
  sql<IssueWorkspace[]>`
  select  ${workspaceColumns(sql)}
  from    issue_workspaces
  where   run_id = ${runId}
`;

const ofEachIssue: RepositoryMode = "issue";

const workspaceForRun = (runId: RunId, issueId: IssueId) => (sql: Sql) =>
  sql<{ workspace: WorkspaceId | null; isNextRuns: boolean }[]>`
  select  (
            select  id
            from    issue_workspaces
            where   issue_workspaces.run_id = run.id
            and     issue_workspaces.issue_id = issue.id
          ) as workspace,
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

const workspaceUncapturedBy = (runId: RunId) => (sql: Sql) =>
  sql<IssueWorkspace[]>`
  select  ${workspaceColumns(sql)}
  from    issue_workspaces
  where   uncaptured_run_id = ${runId}
`;

const lockPorts = () => (sql: Sql) =>
  sql`select pg_advisory_xact_lock(hashtextextended('issue_workspaces.first_port', 0))`;

const freePortOf =
  (volume: VolumeId, { from, to, each }: Parameters<WorkspaceStore["freePort"]>[1]) =>
  (sql: Sql) =>
    sql<{ port: number }[]>`
  select    port
  from      generate_series(${from}::int, ${to - each + 1}::int, ${each}::int) as port
  where     not exists (
              select
              from    issue_workspaces
              where   issue_workspaces.volume = ${volume}
              and     issue_workspaces.first_port = port
            )
  order by  port
  limit     1
`;

const insertCommand = (command: WorkspaceCommand) => (sql: Sql) =>
  sql`
  insert into workspace_commands ${workspaceCommandColumns.values(sql, command)}
`;

const deleteOldCommands = (workspaceId: WorkspaceId) => (sql: Sql) =>
  sql`
  delete from workspace_commands
  where   workspace_id = ${workspaceId}
  and     id not in (
            select    id
            from      workspace_commands
            where     workspace_id = ${workspaceId}
            order by  id desc
            limit     ${commandsMost}
          )
`;

const insertWorkspace = (workspace: IssueWorkspace) => (sql: Sql) =>
  sql`
  insert into issue_workspaces ${workspaceColumns.values(sql, workspace)}
`;

const savedColumns = workspaceColumns.without(`
  id, company_id, issue_id, volume, agent_id, created_at, tried_at
`);

const saveWorkspace = (workspace: IssueWorkspace) => (sql: Sql) =>
  sql`
  update  issue_workspaces
  set     ${savedColumns.assign(sql, workspace)}
  where   id = ${workspace.id}
`;
