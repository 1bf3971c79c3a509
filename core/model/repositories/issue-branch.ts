import type { CompanyId, IssueId, RepositoryId, RunId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** The work of an issue in a repository: the truth of which a workspace is a copy. */
export interface IssueBranch {
  readonly issueId: IssueId;
  readonly repositoryId: RepositoryId;
  readonly companyId: CompanyId;
  /** Such as `boardroom/ABC-1`. */
  readonly branch: string;
  /** Where it began: the default branch, or the branch of the parent issue. */
  readonly baseBranch: string;
  readonly baseCommit: string;
  /** The last head that a run of its holder left; null: none yet. */
  readonly head: string | null;
  /** The run that left the newest kept state. */
  readonly keptRunId: RunId | null;
  /** When its head was last made the branch that all agents of the project read. */
  readonly publishedAt: Instant | null;
  readonly mergedAt: Instant | null;
  readonly mergeCommit: string | null;
  /** When a person gave it up. */
  readonly givenUpAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Whether another issue may begin from it: it is published, and neither merged nor abandoned. */
export const isOpenBranch = ({ publishedAt, mergedAt, givenUpAt }: IssueBranch): boolean =>
  publishedAt !== null && mergedAt === null && givenUpAt === null;
