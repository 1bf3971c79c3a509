import type * as Effect from "effect/Effect";
import type { BoardUser, UserNotFound } from "../../core/access/board-user.ts";
import type { Role } from "../../core/access/roles.ts";
import type { CompanyId, TokenId, UserId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

/** A board token, or the session exchanged for one. Only its hash exists. */
export interface BoardCredential {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly kind: "token" | "session";
  readonly name: string;
  /** SHA-256. */
  readonly hash: Uint8Array;
  readonly createdAt: Instant;
  /** Of a session it moves on with every use, up to `endsAt`. */
  readonly expiresAt: Instant | null;
  /** Of sessions alone. */
  readonly endsAt: Instant | null;
}

export interface AccessStore {
  lockUser(id: UserId): Effect.Effect<BoardUser, UserNotFound>;
  insertUser(user: BoardUser): Effect.Effect<void>;
  saveUser(user: BoardUser): Effect.Effect<void>;
  /** Living instance admins; holds them until the end of the transaction, so that the last one cannot be lost. */
  lockAdmins(): Effect.Effect<readonly UserId[]>;
  insertCredential(credential: BoardCredential): Effect.Effect<void>;
  /** A living credential, held until the end of the transaction; null where there is none. */
  lockCredential(
    id: TokenId,
    at: Instant,
  ): Effect.Effect<Pick<BoardCredential, "kind" | "name" | "expiresAt" | "endsAt"> | null>;
  /**
   * Ends a credential, and with a token the sessions exchanged for it. False where there is no such living one of that
   * user (of any user, for null).
   */
  revokeCredential(id: TokenId, userId: UserId | null, at: Instant): Effect.Effect<boolean>;
  revokeCredentials(userId: UserId, at: Instant): Effect.Effect<void>;
  setRole(companyId: CompanyId, userId: UserId, role: Role, at: Instant): Effect.Effect<void>;
  /** False where the user was no member. */
  removeMember(companyId: CompanyId, userId: UserId): Effect.Effect<boolean>;
}
