import type * as Effect from "effect/Effect";
import type { CompanyId, UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface Dismissal {
  readonly userId: UserId;
  readonly companyId: CompanyId;
  readonly entryId: string;
  readonly version: string;
  readonly at: Instant;
}

/** Dismissals of inbox entries by board users. */
export interface InboxStore {
  /** Replaces an earlier dismissal of the entry. */
  dismiss(dismissal: Dismissal): Effect.Effect<void>;
  restore(dismissal: Pick<Dismissal, "userId" | "companyId" | "entryId">): Effect.Effect<void>;
}
