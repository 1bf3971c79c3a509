import type * as Effect from "effect/Effect";
import type { TokenNotFound, UserNotFound } from "../../core/access/board-user.ts";
import type { AgentCaller, BoardCaller } from "../../core/access/caller.ts";
import type { Role } from "../../core/access/roles.ts";
import type { AgentId, CompanyId, IssueId, RunId, TokenId, UserId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

export interface BoardUserView {
  readonly id: UserId;
  readonly name: string;
  readonly admin: boolean;
  readonly createdAt: Instant;
  readonly disabledAt: Instant | null;
}

export interface BoardTokenView {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly name: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  readonly lastUsedAt: Instant | null;
  readonly revokedAt: Instant | null;
}

export interface MemberView {
  readonly companyId: CompanyId;
  readonly userId: UserId;
  readonly name: string;
  readonly role: Role;
}

/** Things a path can name. */
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
  | "label";

/** Where the thing a path names is. */
export interface Location {
  readonly id: string;
  readonly companyId: CompanyId;
}

export interface AccessViews {
  /**
   * The board user of a living token (`token`) or session (`session`), with its memberships; for a session also the
   * hash of its CSRF token. Notes the use, at most once a minute.
   */
  boardByHash(hash: Uint8Array, kind: "token" | "session", at: Instant): Effect.Effect<BoardCaller | null>;
  /** The agent of a key that is not revoked, and whether the run named is a live one of it. Terminated and pending agents have none. */
  agentByKeyHash(
    hash: Uint8Array,
    runId: RunId | null,
    at: Instant,
  ): Effect.Effect<{ caller: AgentCaller; runIsLive: boolean } | null>;
  /** The agent of a run token, and whether that run lives. null where agent and run do not belong together. */
  agentByRun(
    agentId: AgentId,
    runId: RunId,
  ): Effect.Effect<{ caller: AgentCaller; runIsLive: boolean } | null>;
  /** An issue by id or identifier, an agent by id or (where a company is known) urlKey, the rest by id. */
  /** Ids of the issues of the company that have these identifiers; others are left out. */
  issueIds(identifiers: readonly string[], companyId: CompanyId): Effect.Effect<ReadonlyMap<string, IssueId>>;
  locate(subject: Subject, reference: string, companyId: CompanyId | null): Effect.Effect<Location | null>;

  users(): Effect.Effect<readonly BoardUserView[]>;
  user(id: UserId): Effect.Effect<BoardUserView, UserNotFound>;
  /** Newest first; web sessions left out. */
  tokens(userId: UserId): Effect.Effect<readonly BoardTokenView[]>;
  token(id: TokenId): Effect.Effect<BoardTokenView, TokenNotFound>;
  members(companyId: CompanyId): Effect.Effect<readonly MemberView[]>;
}
