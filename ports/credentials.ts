import type * as Effect from "effect/Effect";
import type { AgentId, CompanyId, RunId, TokenId } from "../core/shared/ids.ts";

/** What a run token says. */
export interface RunClaims {
  readonly agentId: AgentId;
  readonly companyId: CompanyId;
  readonly runId: RunId;
}

/** A credential as it is made: the text is shown once, the hash is kept. */
export interface MintedSecret {
  readonly text: string;
  /** SHA-256 of the text. */
  readonly hash: Uint8Array;
}

/** Makes and recognises credentials; knows no one's identity. */
export interface Credentials {
  /** `<prefix>_` and 48 hex digits of randomness. */
  mint(prefix: "brd" | "agt" | "ses"): MintedSecret;
  /** 256 bits of randomness, for an address. */
  mintCode(): MintedSecret;
  hash(text: string): Uint8Array;
  /** What changes by that session must carry. Worked out each time, so that a reload of the page can ask again. */
  csrfTokenOf(sessionId: TokenId): string;
  /** HS256, valid until the run ends and no longer than `ttlSec`. */
  mintRunToken(claims: RunClaims, ttlSec: number): Effect.Effect<string>;
  /** null for anything that is not a run token of this service, or is expired. Says nothing of the run. */
  readRunToken(token: string): Effect.Effect<RunClaims | null>;
  /** Keyed digest of a request, for recognising it again without keeping it. */
  fingerprint(parts: readonly (string | Uint8Array)[]): Uint8Array;
}
