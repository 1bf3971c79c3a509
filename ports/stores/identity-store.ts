import type * as Effect from "effect/Effect";
import type { UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** An account of a person at a sign-in provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly userId: UserId;
  readonly createdAt: Instant;
}

/** A person's permission to read their groups again at a provider. */
export interface GroupsGrant extends Omit<Identity, "createdAt"> {
  /** The sign-in provider of the settings at which the person last signed in. */
  readonly provider: string;
  /** Its refresh token, sealed; null: it gave none. */
  readonly sealed: Uint8Array | null;
  /** When it was last asked for the groups. */
  readonly checkedAt: Instant;
}

/** The accounts of people at sign-in providers. */
export interface IdentityStore {
  /** The person of an account; null: unknown. */
  find(issuer: string, subject: string): Effect.Effect<UserId | null>;
  insert(identity: Identity): Effect.Effect<void>;
  /** Invites a person under an email address. */
  invite(userId: UserId, address: string, at: Instant): Effect.Effect<void>;
  /** People who are invited under the address and have no account at a provider yet, at most two. */
  invitedAt(address: string): Effect.Effect<readonly UserId[]>;
  saveGrant(grant: GroupsGrant): Effect.Effect<void>;
  /**
   * Records for at most that many grants of the providers that they are used now, and returns them: those that were last used
   * before a time, the oldest first, and none of disabled people.
   */
  takeDueGrants(
    providers: readonly string[],
    before: Instant,
    at: Instant,
    limit: number,
  ): Effect.Effect<readonly GroupsGrant[]>;
  /** Locks a grant until the end of the transaction. Returns false where another one has replaced it. */
  lockGrant(grant: GroupsGrant): Effect.Effect<boolean>;
}
