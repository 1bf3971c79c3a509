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
  /** Where it is, relative to the workspace; null: the workspace itself. */
  readonly directory: string | null;
  /** The folders of it that are laid out; omitted: all. */
  readonly sparseFolders?: readonly string[];
}

/**
 * The workspace of an issue on one volume: a folder with a clone of each repository. It is a copy. The truth is what the
 * service keeps at the end of each run.
 */
export interface IssueWorkspace {
  readonly id: WorkspaceId;
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly volume: VolumeId;
  /** null: the issue's own, whose work is published; otherwise of a second agent on the issue. */
  readonly agentId: AgentId | null;
  /** The run that has it, or had it last: while that is live no other run gets it. */
  readonly runId: RunId;
  /** The run whose kept work its files are, or began from; null: the base of the branch. */
  readonly stateRunId: RunId | null;
  /** A run that may have written into it, and whose work is not kept yet. */
  readonly unkeptRunId: RunId | null;
  /** Why not: a sentence. */
  readonly problem: string | null;
  /** The clones in the folder, which stay there when the project's repositories change. */
  readonly clones: readonly Clone[];
  /** Since when there is a folder with files; null: it has none. */
  readonly madeAt: Instant | null;
  readonly usedAt: Instant;
  readonly createdAt: Instant;
  /** When its work was last tried to be kept, or its folder to be removed; null: never. */
  readonly triedAt: Instant | null;
  /** The name under which its folder is to go to the trash; null: it stays, or has gone. */
  readonly removalId: string | null;
  /** The first of the ports that its programs may use (`portsOfWorkspace`); null: none was free. */
  readonly firstPort: number | null;
  /** Of its folder after its last run, as that run's sandbox says; null: not known. */
  readonly bytes: number | null;
}

/** The block of ports of each workspace on a volume. Nothing keeps programs to them. */
export const portsOfWorkspace = { from: 20_000, to: 31_999, each: 10 };

/** A tree, and whether its run is live. */
export interface LockedWorkspace extends IssueWorkspace {
  readonly isTaken: boolean;
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
 * Gives a run its tree, of all that the issue has: the issue's own to its assignee, where no other live run has it; to
 * every other run one of its agent's own.
 */
export const chooseWorkspace = (trees: readonly LockedWorkspace[], claim: WorkspaceClaim): IssueWorkspace => {
  const { id, companyId, issueId, runId, volume, at } = claim;
  const isOther = (tree: LockedWorkspace) => tree.isTaken && tree.runId !== runId;
  const isHolder = claim.isAssignee && !trees.some((tree) => tree.agentId === null && isOther(tree));
  const agentId = isHolder ? null : claim.agentId;
  const found = trees.find((tree) => tree.agentId === agentId && tree.volume === volume);
  if (found === undefined)
    return {
      id,
      companyId,
      issueId,
      volume,
      agentId,
      runId,
      stateRunId: null,
      unkeptRunId: null,
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
  const { isTaken: _, ...tree } = found;
  return { ...tree, runId, usedAt: at };
};

/** Marks the programs of a workspace, or of a command at a commit, that are of no run, in place of the run's id. */
export const markOf = (id: string): string => `tree.${id}`;

/** Whether its files must be laid out anew: it has none, the issue's newest kept state is another, or its clones are. */
export const isOutdated = (
  tree: IssueWorkspace,
  newestRunId: RunId | null,
  clones: readonly Clone[],
): boolean => tree.madeAt === null || tree.stateRunId !== newestRunId || !sameJson(tree.clones, clones);
