import type * as Effect from "effect/Effect";
import type { Merge, OpenWork } from "../../core/repositories/merge.ts";
import type { IssueId, MergeId, RepositoryId } from "../../core/shared/ids.ts";

/** How long a service counts as alive since it began a merge or renewed it. */
export const mergeLeaseSec = 60;

export interface MergeStore {
  /** The work of an issue that no merge has got in, in repositories that are not removed. */
  open(issueId: IssueId): Effect.Effect<readonly OpenWork[]>;
  /** The merge that got in what a branch had last; null: none. */
  lastMerged(issueId: IssueId, repositoryId: RepositoryId): Effect.Effect<Merge | null>;
  /** The running merge of a repository, and whether its service counts as alive by the clock of the database. */
  running(
    repositoryId: RepositoryId,
  ): Effect.Effect<{ readonly id: MergeId; readonly isAlive: boolean } | null>;
  /** Those of any repository whose service does not count as alive. */
  abandoned(): Effect.Effect<readonly Merge[]>;
  /** Waits for a concurrent lock and takes it; null: there is no such merge. */
  lock(id: MergeId): Effect.Effect<Merge | null>;
  /** Stores a running one, with a lease. */
  begin(merge: Merge): Effect.Effect<void>;
  /** Renews the lease too. */
  save(merge: Merge): Effect.Effect<void>;
  renew(id: MergeId): Effect.Effect<void>;
}
