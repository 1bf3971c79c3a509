import type * as Effect from "effect/Effect";
import type { UnsubscribeScope } from "../core/model/notices/unsubscribe.ts";
import type { AgentId, CompanyId, RepositoryId, RunId, TokenId, UserId } from "../core/model/shared/ids.ts";

/** The claims of a run token. */
export interface RunClaims {
  readonly agentId: AgentId;
  readonly companyId: CompanyId;
  readonly runId: RunId;
}

/** The claims of the token by which the service's own step keeps the work of a run. */
export interface CaptureClaims extends Pick<RunClaims, "companyId" | "runId"> {
  /** The pushes of the run that were counted when the step began. */
  readonly pushesBefore: number;
}

/** The claims of the token by which the service's own step checks out a commit of a repository. */
export interface CheckoutClaims {
  readonly companyId: CompanyId;
  readonly repositoryId: RepositoryId;
}

/** The claims of the token that turns off the email of a person, and nothing else. */
export interface UnsubscribeClaims {
  readonly userId: UserId;
  readonly scope: UnsubscribeScope;
}

/** A new credential: the text is shown once, the hash is stored. */
export interface MintedSecret {
  readonly text: string;
  /** SHA-256 of the text. */
  readonly hash: Uint8Array;
}

/** Creates and verifies credentials; knows no identities. */
export interface Credentials {
  /** `<prefix>_` and 48 random hex digits. */
  mint(prefix: "brd" | "agt" | "ses" | "oat" | "ort"): MintedSecret;
  /** 256 random bits for a URL. */
  mintCode(): MintedSecret;
  hash(text: string): Uint8Array;
  /**
   * Returns the token that changes by that session must carry. Derived each time, so that a reloaded page can get it
   * again.
   */
  csrfTokenOf(sessionId: TokenId): string;
  /** HS256, valid until the run ends and no longer than `ttlSec`. */
  mintRunToken(claims: RunClaims, ttlSec: number): Effect.Effect<string>;
  /** Returns null for anything but a valid run token of this service. Does not check the run. */
  readRunToken(token: string): Effect.Effect<RunClaims | null>;
  /**
   * HS256. For the refs of that run in the kept store alone, whatever has become of the run and its agent. Agents never
   * get it.
   */
  mintCaptureToken(claims: CaptureClaims, ttlSec: number): Effect.Effect<string>;
  /** Returns null for anything but a valid token of that kind. */
  readCaptureToken(token: string): Effect.Effect<CaptureClaims | null>;
  /** HS256. To read the shared store of that repository alone. Agents never get it. */
  mintCheckoutToken(claims: CheckoutClaims, ttlSec: number): Effect.Effect<string>;
  /** Returns null for anything but a valid token of that kind. */
  readCheckoutToken(token: string): Effect.Effect<CheckoutClaims | null>;
  /** HS256. Names the sign-in provider of a sign-in that has begun; each is unlike every other. */
  mintFlow(provider: string, ttlSec: number): Effect.Effect<string>;
  /** The provider of a flow; null for anything but a valid one. */
  readFlow(flow: string): Effect.Effect<string | null>;
  /** For the link that turns email off. It never expires: an email may be opened years later. */
  mintUnsubscribeToken(claims: UnsubscribeClaims): string;
  /** Returns null for anything but a valid token of that kind. */
  readUnsubscribeToken(token: string): UnsubscribeClaims | null;
  /** Returns a keyed digest that identifies a request without storing it. */
  fingerprint(parts: readonly (string | Uint8Array)[]): Uint8Array;
}
