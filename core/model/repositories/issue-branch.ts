import type { CompanyId, IssueId, RepositoryId, RunId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** The work of an issue in a repository. Workspaces are copies of it. */
export interface IssueBranch {
  readonly issueId: IssueId;
  readonly repositoryId: RepositoryId;
  readonly companyId: CompanyId;
  /** Such as `boardroom/ABC-1`. */
  readonly branch: string;
  /** Where it began: the default branch, or the branch of the parent issue. */
  readonly baseBranch: string;
  readonly baseCommit: string;
  /** The head after the last run of its assignee; null: none yet. */
  readonly head: string | null;
  /** The run whose captured state is the newest. */
  readonly capturedRunId: RunId | null;
  /** When its head was last published to all agents of the project. */
  readonly publishedAt: Instant | null;
  readonly mergedAt: Instant | null;
  readonly mergeCommit: string | null;
  /** When a person abandoned it. */
  readonly abandonedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Whether another issue may begin from it: it is published, and neither merged nor abandoned. */
export const isOpenBranch = ({ publishedAt, mergedAt, abandonedAt }: IssueBranch): boolean =>
  publishedAt !== null && mergedAt === null && abandonedAt === null;
