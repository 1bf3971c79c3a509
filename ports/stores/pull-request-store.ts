import type * as Effect from "effect/Effect";
import type { PullRequest } from "../../core/model/repositories/pull-request.ts";
import type { IssueId, PullRequestId, RepositoryId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface PullRequestStore {
  /** Waits for a concurrent lock and takes it; null: it does not exist. */
  lock(id: PullRequestId): Effect.Effect<PullRequest | null>;
  /** The one of the issue in the repository that is neither merged nor closed; null: none. */
  openOf(issueId: IssueId, repositoryId: RepositoryId): Effect.Effect<PullRequest | null>;
  /** Whether another issue had or has a pull request from that branch. */
  isOfAnother(issueId: IssueId, repositoryId: RepositoryId, branch: string): Effect.Effect<boolean>;
  /** Does nothing where the issue has an open one in the repository. */
  insert(pullRequest: PullRequest): Effect.Effect<void>;
  save(pullRequest: PullRequest): Effect.Effect<void>;
  remove(id: PullRequestId): Effect.Effect<void>;
  /**
   * Takes open ones whose time has come, of repositories that are not removed and of companies that take writes, and moves
   * their time on to `until`, so that no other service polls meanwhile.
   */
  takeDue(
    times: { readonly at: Instant; readonly until: Instant },
    most: number,
  ): Effect.Effect<readonly PullRequest[]>;
  /** Lets the open ones of a repository be polled now, or at `notBefore` after the last poll. Returns how many. */
  hurry(repositoryId: RepositoryId, at: Instant, everySec: number): Effect.Effect<number>;
  /** Of these notes those that were not taken before; they count as taken now. */
  takeNotes(id: PullRequestId, hostIds: readonly string[], at: Instant): Effect.Effect<readonly string[]>;
}
