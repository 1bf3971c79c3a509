import type {
  AgentId,
  CompanyId,
  IssueId,
  RepositoryId,
  RunId,
  VolumeId,
  WorkspaceId,
} from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { sameJson } from "../shared/same-json.ts";

/** A clone in a workspace. */
export interface Clone {
  readonly repositoryId: RepositoryId;
  /** Its path, relative to the workspace; null: the workspace itself. */
  readonly directory: string | null;
  /** The folders of it that are checked out; omitted: all. */
  readonly sparseFolders?: readonly string[];
}

/**
 * The workspace of an issue on one volume: a folder with a clone of each repository. It is a copy; what counts is the work
 * captured at the end of each run.
 */
export interface IssueWorkspace {
  readonly id: WorkspaceId;
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly volume: VolumeId;
  /** null: the issue's own, whose work is published; otherwise of a second agent on the issue. */
  readonly agentId: AgentId | null;
  /** The run that uses it, or used it last: while that run is live no other one gets the workspace. */
  readonly runId: RunId;
  /** The run whose captured work its files are, or started from; null: the base of the branch. */
  readonly stateRunId: RunId | null;
  /** A run that may have written into it and whose work is not captured yet. */
  readonly uncapturedRunId: RunId | null;
  /** Why not: a sentence. */
  readonly problem: string | null;
  /** The clones in the folder, which stay there when the project's repositories change. */
  readonly clones: readonly Clone[];
  /** When its folder was made; null: it has none. */
  readonly madeAt: Instant | null;
  readonly usedAt: Instant;
  readonly createdAt: Instant;
  /** When the last attempt was made to capture its work or to remove its folder; null: never. */
  readonly triedAt: Instant | null;
  /** The name under which its folder is to go to the trash; null: it stays, or has gone. */
  readonly removalId: string | null;
  /** The first of the ports that its programs may use (`portsOfWorkspace`); null: none was free. */
  readonly firstPort: number | null;
  /** The bytes of its folder after its last run, as measured in that run's sandbox; null: not known. */
  readonly bytes: number | null;
}

/** The block of ports of each workspace on a volume. Nothing restricts programs to them. */
export const portsOfWorkspace = { from: 20_000, to: 31_999, each: 10 };

/** A workspace, and whether its run is live. */
export interface LockedWorkspace extends IssueWorkspace {
  readonly isInUse: boolean;
}

/** A run that begins to work on an issue. */
export interface WorkspaceClaim
  extends Pick<IssueWorkspace, "id" | "companyId" | "issueId" | "runId" | "volume"> {
  readonly agentId: AgentId;
  /** The run's agent has the issue. */
  readonly isAssignee: boolean;
  readonly at: Instant;
}

/** The address of a repository for git in a workspace. */
export const gitUrlOf = (apiUrl: string, repositoryId: string): string => `${apiUrl}/git/${repositoryId}`;

/**
 * Chooses a run's workspace among those of the issue: the assignee gets the issue's own if no other live run uses it; every
 * other run gets one of its agent.
 */
export const chooseWorkspace = (
  issueWorkspaces: readonly LockedWorkspace[],
  claim: WorkspaceClaim,
): IssueWorkspace => {
  const { id, companyId, issueId, runId, volume, at } = claim;
  const isOther = (workspace: LockedWorkspace) => workspace.isInUse && workspace.runId !== runId;
  const isHolder =
    claim.isAssignee &&
    !issueWorkspaces.some((workspace) => workspace.agentId === null && isOther(workspace));
  const agentId = isHolder ? null : claim.agentId;
  const found = issueWorkspaces.find(
    (workspace) => workspace.agentId === agentId && workspace.volume === volume,
  );
  if (found === undefined)
    return {
      id,
      companyId,
      issueId,
      volume,
      agentId,
      runId,
      stateRunId: null,
      uncapturedRunId: null,
      problem: null,
      clones: [],
      madeAt: null,
      usedAt: at,
      createdAt: at,
      triedAt: null,
      removalId: null,
      firstPort: null,
      bytes: null,
    };
  const { isInUse: _, ...workspace } = found;
  return { ...workspace, runId, usedAt: at };
};

/** Marks the programs of a workspace, or of a command at a commit, that are of no run, in place of the run's id. */
export const markOf = (id: string): string => `workspace.${id}`;

/** Whether its files must be checked out again: it has none, or the issue's newest captured state or its clones differ. */
export const isOutdated = (
  workspace: IssueWorkspace,
  newestRunId: RunId | null,
  clones: readonly Clone[],
): boolean =>
  workspace.madeAt === null || workspace.stateRunId !== newestRunId || !sameJson(workspace.clones, clones);
