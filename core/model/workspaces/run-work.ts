import type { CompanyId, IssueId, RepositoryId, RunId, WorkspaceId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** A file of a workspace that is not captured. */
export interface LeftOut {
  /** As git writes it: quoted where it has unusual characters. */
  readonly path: string;
  readonly reason: LeftOutReason;
}

export const leftOutReasons = [
  "too_large",
  "unreadable",
  "inner_repository",
  "lfs_content",
  "encoding",
  "outside_clones",
  "unknown",
] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** The work of a run in a repository, as captured by the service. */
export interface RunWork {
  readonly runId: RunId;
  readonly repositoryId: RepositoryId;
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly workspaceId: WorkspaceId;
  /** HEAD at the end. */
  readonly head: string;
  /** A commit of all files that git does not ignore: HEAD itself, or one on top of it. */
  readonly files: string;
  /** The commit of all files that the run began with; null: not known, of runs of earlier versions. */
  readonly base: string | null;
  /** The branch that was checked out; null: none. */
  readonly branch: string | null;
  /** The unfinished operation of git, such as rebase-merge; null: none. */
  readonly state: string | null;
  readonly leftOut: readonly LeftOut[];
  /** Of the thin pack in the blob store; null: it could not be stored there. */
  readonly blobKey: string | null;
  readonly packBytes: number | null;
  readonly capturedAt: Instant;
}
