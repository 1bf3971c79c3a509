import type * as Effect from "effect/Effect";
import type {
  AgentId,
  IssueId,
  RepositoryId,
  RunId,
  VolumeId,
  WorkspaceId,
} from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { IssueWorkspace, LockedWorkspace } from "../../core/model/workspaces/issue-workspace.ts";
import type { ProjectFolder } from "../../core/model/workspaces/project-disk-use.ts";
import type { RunWork } from "../../core/model/workspaces/run-work.ts";
import type { WorkspaceCommand } from "../../core/model/workspaces/workspace-command.ts";

export interface UncapturedWorkspace {
  readonly id: WorkspaceId;
  readonly uncapturedRunId: RunId;
}

/** Workspaces of issues, and what runs left in them. */
/** The pack of a run in the blob store. */
export interface UncheckedPack extends Pick<RunWork, "runId" | "repositoryId" | "companyId"> {
  readonly blobKey: string;
}

export interface WorkspaceStore {
  /** Locks the workspaces of an issue, oldest first. */
  lockOf(issueId: IssueId): Effect.Effect<readonly LockedWorkspace[]>;
  /** null: there is no such workspace. */
  find(id: WorkspaceId): Effect.Effect<IssueWorkspace | null>;
  /** Waits for a concurrent lock and takes it; null: there is no such workspace. */
  lock(id: WorkspaceId): Effect.Effect<LockedWorkspace | null>;
  /** The workspace that the run has, or had last; null: none. */
  ofRun(runId: RunId): Effect.Effect<IssueWorkspace | null>;
  /**
   * The workspace of the issue that the run has; null: none. `isNextRuns`: the run is for another issue, and this one has a
   * workspace, which only another run gets.
   */
  forRun(
    runId: RunId,
    issueId: IssueId,
  ): Effect.Effect<{ readonly workspace: WorkspaceId | null; readonly isNextRuns: boolean }>;
  /** The workspace that the run may have written into, while that is not kept; null: none. */
  uncapturedBy(runId: RunId): Effect.Effect<IssueWorkspace | null>;
  /** The first port of a free block on the volume, which no other transaction gets meanwhile; null: all are taken. */
  freePort(
    volume: VolumeId,
    ports: { readonly from: number; readonly to: number; readonly each: number },
  ): Effect.Effect<number | null>;
  insert(workspace: IssueWorkspace): Effect.Effect<void>;
  save(workspace: IssueWorkspace): Effect.Effect<void>;
  /** Stores it in place of what was kept of the same run before. */
  putWork(work: RunWork): Effect.Effect<void>;
  /**
   * Packs of runs that nobody has looked at since earlier versions stored them: of workspaces on that volume, or that are
   * gone.
   */
  uncheckedPacks(volume: VolumeId, limit: number): Effect.Effect<readonly UncheckedPack[]>;
  /** Notes that a pack was looked at; `packBytes` where it was written anew. */
  recordPack(found: {
    readonly runId: RunId;
    readonly repositoryId: RepositoryId;
    readonly packBytes?: number;
    /** Why it cannot be used: a sentence. */
    readonly problem: string | null;
    readonly at: Instant;
  }): Effect.Effect<void>;
  /** The work of a run, of each repository. */
  works(runId: RunId): Effect.Effect<readonly RunWork[]>;
  /** Whether the last run whose work is kept of the workspace has left files that are not. */
  hasLeftOut(id: WorkspaceId): Effect.Effect<boolean>;
  /**
   * Marks workspaces of a volume as tried, and returns them: with a folder and nothing uncaptured, of closed issues without a live run,
   * not used since `usedBefore`, and not tried since `triedBefore`, so that those which stay do not hold back the others.
   */
  takeIdle(
    volume: VolumeId,
    times: { readonly at: Instant; readonly usedBefore: Instant; readonly triedBefore: Instant },
    limit: number,
  ): Effect.Effect<readonly WorkspaceId[]>;
  /**
   * Marks workspaces of a volume as tried, and returns them: with work that is not kept, without a live run, and not tried
   * since `before`; those tried longest ago first.
   */
  claimUncaptured(
    volume: VolumeId,
    times: { readonly at: Instant; readonly before: Instant },
    limit: number,
  ): Effect.Effect<readonly UncapturedWorkspace[]>;
  /** Trees of projects' issues that have a folder, on all volumes. */
  folders(): Effect.Effect<readonly ProjectFolder[]>;
  /** Trees of a volume whose folders are still to go to the trash. */
  toRemove(volume: VolumeId, limit: number): Effect.Effect<readonly WorkspaceId[]>;
  /**
   * Marks a removal as tried and returns the workspace; null: if none exists, or it was tried since `before`, so that another
   * service is at it.
   */
  takeRemoval(
    id: WorkspaceId,
    times: { readonly at: Instant; readonly before: Instant },
  ): Effect.Effect<IssueWorkspace | null>;
  /** Marks it again while it continues. */
  renewRemoval(id: WorkspaceId, removalId: string, at: Instant): Effect.Effect<void>;
  /** Stores it, and keeps the latest of the workspace alone. */
  putCommand(command: WorkspaceCommand): Effect.Effect<void>;
  /** The issue of the workspace, and the agent of one of its runs; null: it is not known any more. */
  workerIn(
    id: WorkspaceId,
    runId: RunId,
  ): Effect.Effect<{
    readonly identifier: string;
    readonly agentId: AgentId | null;
    readonly agentName: string | null;
  }>;
  /** The work of a run in a repository; null: nothing is kept. */
  work(runId: RunId, repositoryId: RepositoryId): Effect.Effect<RunWork | null>;
  /** The newest work of the issue in a repository with that head, of which a pack is stored; null: none exists. */
  workAt(issueId: IssueId, repositoryId: RepositoryId, head: string): Effect.Effect<RunWork | null>;
}
