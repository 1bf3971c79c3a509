import type * as Effect from "effect/Effect";
import type { BoardUser, UserNotFound } from "../../core/model/access/board-user.ts";
import type { Person } from "../../core/model/access/person.ts";
import type { Role } from "../../core/model/access/roles.ts";
import type { SignIn } from "../../core/model/access/sign-in.ts";
import type { CodeFacts, SignInPurpose } from "../../core/model/access/sign-in-code.ts";
import type { Mentionable } from "../../core/model/issues/comments/mentions.ts";
import type { CompanyId, TokenId, UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** A board token, or the session exchanged for one. Only its hash is stored. */
export interface BoardCredential {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly kind: "token" | "session";
  readonly name: string;
  /** SHA-256. */
  readonly hash: Uint8Array;
  readonly createdAt: Instant;
  /** A session extends it with every use, up to `endsAt`. */
  readonly expiresAt: Instant | null;
  /** Set for sessions only, as those below. */
  readonly endsAt: Instant | null;
  readonly device?: string | null;
  readonly address?: string | null;
  /** The sign-in provider at which the session began. */
  readonly provider?: string | null;
  /** When its person last verified with a passkey in the session. */
  readonly verifiedAt?: Instant | null;
}

/** The code of a one-time link. Only its hash is stored. */
export interface SignInCode {
  readonly id: string;
  readonly userId: UserId;
  readonly purpose: SignInPurpose;
  /** SHA-256. */
  readonly hash: Uint8Array;
  /** The name of the session that it creates. */
  readonly sessionName: string;
  /** The latest end of that session; null for seven days. */
  readonly latest: Instant | null;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

/** A role of a person. */
export interface Membership {
  readonly companyId: CompanyId;
  readonly role: Role;
  readonly provider: string | null;
}

export interface AccessStore {
  lockUser(id: UserId): Effect.Effect<BoardUser, UserNotFound>;
  findPerson(id: UserId): Effect.Effect<Person | null>;
  /** As above; the person keeps their rights until the end of the transaction. */
  holdPerson(id: UserId): Effect.Effect<Person | null>;
  insertUser(user: BoardUser): Effect.Effect<void>;
  saveUser(user: BoardUser): Effect.Effect<void>;
  /** Active instance admins; locks them until the end of the transaction, so that one always remains. */
  lockAdmins(): Effect.Effect<readonly UserId[]>;
  insertCredential(credential: BoardCredential): Effect.Effect<void>;
  /** Locks a valid credential until the end of the transaction; null if none exists. */
  lockCredential(
    id: TokenId,
    at: Instant,
  ): Effect.Effect<Pick<BoardCredential, "kind" | "name" | "expiresAt" | "endsAt" | "provider"> | null>;
  /**
   * Revokes a credential, and with a token the sessions exchanged for it. Returns false where that user (any user, for
   * null) has no such valid one.
   */
  revokeCredential(id: TokenId, userId: UserId | null, at: Instant): Effect.Effect<boolean>;
  /** Revokes all credentials of a user: tokens, sessions, unused codes and assistants. */
  revokeCredentials(userId: UserId, at: Instant): Effect.Effect<void>;
  /**
   * Ends valid sessions of a user: the one with that id, or all except that one (a token's id: all). Returns their
   * number.
   */
  endSessions(
    userId: UserId,
    which: { readonly only: TokenId } | { readonly except: TokenId },
    at: Instant,
  ): Effect.Effect<number>;
  insertSignIn(signIn: SignIn): Effect.Effect<void>;
  /** The devices and addresses of recorded sign-ins that were not refused. */
  devicesOf(userId: UserId): Effect.Effect<readonly Pick<SignIn, "device" | "address">[]>;
  /** Whether a refused sign-in of the user is recorded after that time. */
  wasRefusedSince(userId: UserId, since: Instant): Effect.Effect<boolean>;
  /** Sign-ins from new devices and refused ones since that time, the newest first. */
  notableSignIns(userId: UserId, since: Instant): Effect.Effect<readonly SignIn[]>;
  insertCode(code: SignInCode): Effect.Effect<void>;
  /** Locks a code with its facts until the end of the transaction; null if none exists. */
  lockCode(hash: Uint8Array): Effect.Effect<(SignInCode & CodeFacts) | null>;
  recordCodeUse(id: string, at: Instant): Effect.Effect<void>;
  recordCodeReuse(id: string, at: Instant): Effect.Effect<void>;
  /** Revokes the unused codes of a user for a purpose. */
  revokeCodes(userId: UserId, purpose: SignInPurpose, at: Instant): Effect.Effect<void>;
  /** `provider` gives the role by a group; null: people give it. */
  setRole(
    companyId: CompanyId,
    userId: UserId,
    role: Role,
    at: Instant,
    provider?: string | null,
  ): Effect.Effect<void>;
  /** The people of a company, whatever their role, with their names for mentions. */
  mentionable(companyId: CompanyId): Effect.Effect<readonly Mentionable<UserId>[]>;
  memberships(userId: UserId): Effect.Effect<readonly Membership[]>;
  /** Of companies that are not archived. */
  companiesByPrefix(): Effect.Effect<readonly { readonly id: CompanyId; readonly issuePrefix: string }[]>;
  /** Returns false where the user was no member. */
  removeMember(companyId: CompanyId, userId: UserId): Effect.Effect<boolean>;
}
