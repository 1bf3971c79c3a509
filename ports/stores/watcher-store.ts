import type * as Effect from "effect/Effect";
import type { CompanyId, IssueId, UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface Watch {
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly userId: UserId;
  readonly at: Instant;
}

/** The people who watch issues. What happens on an issue after they have last seen it is news to them. */
export interface WatcherStore {
  /** Makes the person a watcher. For one who is a watcher already, nothing changes. */
  add(watch: Watch): Effect.Effect<void>;
  /** Makes the person a watcher who has seen what happened until `seenAt`, or has seen more already. */
  see(watch: Watch & { readonly seenAt: Instant }): Effect.Effect<void>;
  /** Makes people watchers to whom what happens from now on is news, and notes that they are mentioned now. */
  mention(issue: Omit<Watch, "userId">, userIds: readonly UserId[]): Effect.Effect<void>;
  remove(issueId: IssueId, userId: UserId): Effect.Effect<void>;
}
