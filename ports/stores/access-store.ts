import type * as Effect from "effect/Effect";
import type { BoardUser, UserNotFound } from "../../core/access/board-user.ts";
import type { Role } from "../../core/access/roles.ts";
import type { CodeFacts, SignInPurpose } from "../../core/access/sign-in-code.ts";
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

/** The code of a one-time link. Only its hash exists. */
export interface SignInCode {
  readonly id: string;
  readonly userId: UserId;
  readonly purpose: SignInPurpose;
  /** SHA-256. */
  readonly hash: Uint8Array;
  /** What the session is called that it begins. */
  readonly sessionName: string;
  /** When that session ends at the latest; null for seven days. */
  readonly latest: Instant | null;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
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
  /** All of a user: tokens, sessions and codes that wait for their use. */
  revokeCredentials(userId: UserId, at: Instant): Effect.Effect<void>;
  insertCode(code: SignInCode): Effect.Effect<void>;
  /** A code with what decides on it, held until the end of the transaction; null where there is none. */
  lockCode(hash: Uint8Array): Effect.Effect<(SignInCode & CodeFacts) | null>;
  noteCodeUse(id: string, at: Instant): Effect.Effect<void>;
  noteCodeReuse(id: string, at: Instant): Effect.Effect<void>;
  /** Ends the unused codes that a user has for a purpose. */
  revokeCodes(userId: UserId, purpose: SignInPurpose, at: Instant): Effect.Effect<void>;
  setRole(companyId: CompanyId, userId: UserId, role: Role, at: Instant): Effect.Effect<void>;
  /** False where the user was no member. */
  removeMember(companyId: CompanyId, userId: UserId): Effect.Effect<boolean>;
}
