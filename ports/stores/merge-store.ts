import type * as Effect from "effect/Effect";
import type { Merge, OpenWork } from "../../core/model/repositories/merge.ts";
import type { IssueId, MergeId, RepositoryId } from "../../core/model/shared/ids.ts";

export interface MergeStore {
  /** The work of an issue that no merge has got in, in repositories that are not removed. */
  open(issueId: IssueId): Effect.Effect<readonly OpenWork[]>;
  /** The merge that got in what a branch had last; null: none. */
  lastMerged(issueId: IssueId, repositoryId: RepositoryId): Effect.Effect<Merge | null>;
  /** The newest merges of a repository that got in one of the commits, at most 50. */
  madeOf(
    repositoryId: RepositoryId,
    commits: readonly string[],
  ): Effect.Effect<readonly { readonly fromCommit: string; readonly commit: string }[]>;
  /** The running merge of a repository, and whether its service counts as alive by the clock of the database. */
  running(
    repositoryId: RepositoryId,
  ): Effect.Effect<{ readonly id: MergeId; readonly isAlive: boolean } | null>;
  /** Those of any repository whose service does not count as alive (`workLease`). Notes which leases have lapsed. */
  abandoned(): Effect.Effect<readonly Merge[]>;
  /** Stores a running one, with a lease. */
  begin(merge: Merge): Effect.Effect<void>;
  /** Waits for a concurrent lock and takes it; false: it has ended. */
  lockRunning(id: MergeId): Effect.Effect<boolean>;
  /** Renews the lease of a running one; false: it has ended. */
  renew(id: MergeId): Effect.Effect<boolean>;
  /** Notes the commit that a running one is going to push, and what it is made on; false: it has ended. */
  recordPush(merge: Pick<Merge, "id" | "ontoCommit" | "commit">): Effect.Effect<boolean>;
  /** Ends a running one; false: it has ended already. */
  fail(id: MergeId): Effect.Effect<boolean>;
  /** Ends it as merged, with its commits, also one that counted as failed; false: it was already. */
  finish(merge: Pick<Merge, "id" | "ontoCommit" | "commit">): Effect.Effect<boolean>;
}
