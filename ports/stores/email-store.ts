import type * as Effect from "effect/Effect";
import type {
  EmailAddress,
  EmailConfirmation,
  RecentConfirmations,
} from "../../core/model/access/email-address.ts";
import type { UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface EmailStore {
  /** null: the person has never had one. */
  find(userId: UserId): Effect.Effect<EmailAddress | null>;
  save(address: EmailAddress): Effect.Effect<void>;
  /** Stores a link in place of the person's others, and deletes those that were made before `forgotten`. */
  insertConfirmation(confirmation: EmailConfirmation, forgotten: Instant): Effect.Effect<void>;
  /** Ends a link by its hash and returns it; null: no valid one has that hash, or its person is disabled. */
  useConfirmation(hash: Uint8Array, at: Instant): Effect.Effect<EmailConfirmation | null>;
  /** Ends the links of a person. */
  endConfirmations(userId: UserId, at: Instant): Effect.Effect<void>;
  recentConfirmations(userId: UserId, address: string, since: Instant): Effect.Effect<RecentConfirmations>;
}
