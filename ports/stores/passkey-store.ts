import type * as Effect from "effect/Effect";
import type { Passkey, PasskeyRegistered } from "../../core/model/access/passkey.ts";
import type { PasskeyId, TokenId, UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface PasskeyStore {
  /** Oldest first. */
  of(userId: UserId): Effect.Effect<readonly Passkey[]>;
  find(credentialId: string): Effect.Effect<Passkey | null>;
  /** As above; locks it until the end of the transaction. */
  lock(credentialId: string): Effect.Effect<Passkey | null>;
  insert(passkey: Passkey): Effect.Effect<void, PasskeyRegistered>;
  recordUse(id: PasskeyId, counter: number, at: Instant): Effect.Effect<void>;
  /** Ends the sessions that began with it, too. Returns false where that user has no such passkey. */
  delete(
    id: PasskeyId,
    userId: UserId,
    sessions: { readonly except: TokenId; readonly at: Instant },
  ): Effect.Effect<boolean>;
  /** Records that a challenge is used, and forgets expired ones; false: it was used before. */
  useChallenge(challenge: Uint8Array, at: Instant, expiresAt: Instant): Effect.Effect<boolean>;
  /** The person has verified themselves in that session. */
  recordVerification(sessionId: TokenId, at: Instant): Effect.Effect<void>;
}
