import type * as Effect from "effect/Effect";
import type { Assistant } from "../../core/model/access/assistant.ts";
import type { BoardUser, TokenNotFound, UserNotFound } from "../../core/model/access/board-user.ts";
import type { AgentCaller, BoardCaller } from "../../core/model/access/caller.ts";
import type { EmailAddress } from "../../core/model/access/email-address.ts";
import type { Passkey } from "../../core/model/access/passkey.ts";
import type { Role } from "../../core/model/access/roles.ts";
import type { SavedView } from "../../core/model/access/saved-view.ts";
import type { SignIn } from "../../core/model/access/sign-in.ts";
import type { CompanyStatus } from "../../core/model/companies/company.ts";
import type { AgentId, CompanyId, IssueId, RunId, TokenId, UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface BoardTokenView {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly name: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  readonly lastUsedAt: Instant | null;
  readonly revokedAt: Instant | null;
}

/** A browser that is signed in. */
export interface WebSessionView {
  readonly id: TokenId;
  readonly createdAt: Instant;
  /** Exact to a minute. */
  readonly lastUsedAt: Instant;
  readonly expiresAt: Instant;
  /** Such as "Firefox on Linux"; null: unknown. */
  readonly device: string | null;
  /** Of its last use. */
  readonly address: string | null;
}

export type PasskeyView = Pick<Passkey, "id" | "name" | "createdAt" | "lastUsedAt">;

export type AssistantView = Omit<Assistant, "userId" | "clientId">;
/** Where a person gets email, and the address that waits for its confirmation. */
export interface EmailView extends Pick<EmailAddress, "address" | "confirmedAt" | "provider"> {
  readonly unconfirmedAddress: string | null;
  /** When the link that confirms it expires. */
  readonly unconfirmedUntil: Instant | null;
}

export interface MemberView {
  readonly companyId: CompanyId;
  readonly userId: UserId;
  readonly name: string;
  readonly role: Role;
}

/** A person to whom issues of a company can be assigned. */
export interface PersonView {
  readonly userId: UserId;
  readonly name: string;
}

/** Resources that a path can name. */
export type Subject =
  | "company"
  | "agent"
  | "issue"
  | "run"
  | "project"
  | "goal"
  | "approval"
  | "grant"
  | "secret"
  | "vault"
  | "routine"
  | "trigger"
  | "attachment"
  | "asset"
  | "label"
  | "mcpServer"
  | "eventSubscription"
  | "eventDelivery"
  | "repository"
  | "workspace";

/** The company and owner of a resource in a path. */
export interface Location {
  readonly id: string;
  readonly companyId: CompanyId;
  readonly companyStatus: CompanyStatus;
}

export interface AccessViews {
  /**
   * Returns the board user of a valid token (`token`) or session (`session`), with its memberships; for a session also
   * the hash of its CSRF token. Records the use and where it came from, at most once a minute.
   */
  boardByHash(
    hash: Uint8Array,
    kind: "token" | "session",
    at: Instant,
    address?: string | null,
  ): Effect.Effect<BoardCaller | null>;
  /** The person of a valid access token of an assistant, with the scopes of the token. Records the use, as above. */
  assistantByHash(hash: Uint8Array, at: Instant): Effect.Effect<BoardCaller | null>;
  /** Whether the database has, or once had, the board token, valid or not. */
  hasBoardToken(hash: Uint8Array): Effect.Effect<boolean>;
  /** When a used one-time link of the user was last opened again, after `since`; null if it was not. */
  lastLinkReuse(userId: UserId, since: Instant): Effect.Effect<Instant | null>;
  /**
   * The agent of a valid key, and whether the given run is a live one of it; null for terminated and pending agents.
   */
  agentByKeyHash(
    hash: Uint8Array,
    runId: RunId | null,
    at: Instant,
  ): Effect.Effect<{ caller: AgentCaller; runIsLive: boolean } | null>;
  /** The agent of a run token, and whether that run is live. null where agent and run do not belong together. */
  agentByRun(
    agentId: AgentId,
    runId: RunId,
  ): Effect.Effect<{ caller: AgentCaller; runIsLive: boolean } | null>;
  /** Returns ids of the company's issues with these identifiers; omits others. */
  issueIds(identifiers: readonly string[], companyId: CompanyId): Effect.Effect<ReadonlyMap<string, IssueId>>;
  /** Finds an issue by id or identifier, an agent by id or (with a known company) urlKey, others by id. */
  locate(subject: Subject, reference: string, companyId: CompanyId | null): Effect.Effect<Location | null>;

  users(): Effect.Effect<readonly BoardUser[]>;
  user(id: UserId): Effect.Effect<BoardUser, UserNotFound>;
  /** Newest first; without web sessions. */
  tokens(userId: UserId): Effect.Effect<readonly BoardTokenView[]>;
  /** Those that can be used at that time, newest first. */
  sessions(userId: UserId, at: Instant): Effect.Effect<readonly WebSessionView[]>;
  /** Oldest first. */
  passkeys(userId: UserId): Effect.Effect<readonly PasskeyView[]>;
  /** Those that are connected at that time, oldest first. */
  assistants(userId: UserId, at: Instant): Effect.Effect<readonly AssistantView[]>;
  email(userId: UserId, at: Instant): Effect.Effect<EmailView>;
  /** The last `limit` of a person, newest first. */
  signIns(userId: UserId, limit: number): Effect.Effect<readonly SignIn[]>;
  token(id: TokenId): Effect.Effect<BoardTokenView, TokenNotFound>;
  members(companyId: CompanyId): Effect.Effect<readonly MemberView[]>;
  /** By name. */
  people(companyId: CompanyId): Effect.Effect<readonly PersonView[]>;
  /** By name. */
  savedViews(userId: UserId, companyId: CompanyId): Effect.Effect<readonly SavedView[]>;
}
