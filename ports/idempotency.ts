import type * as Effect from "effect/Effect";
import type { Instant } from "../core/shared/instant.ts";

/** What a key stands for: caller, endpoint and path; and what was asked under it. Digests, never the text. */
export interface IdempotentRequest {
  readonly scope: Uint8Array;
  readonly request: Uint8Array;
  /** The id that the created thing will have. */
  readonly newId: string;
  readonly at: Instant;
}

/** One hold of a key. Who takes too long loses it to the same request made again, which makes the same id. */
export interface Claim {
  readonly scope: Uint8Array;
  /** Make what is made under this id. */
  readonly id: string;
  /** No other hold of the key has it, and so it says whose the key is. */
  readonly until: Instant;
}

/** What holds a key, from the point of view of a request with that key. */
export type Reservation =
  /** Go on. `again` says that somebody went before and did not say how it ended. */
  | { readonly kind: "reserved"; readonly claim: Claim; readonly again: boolean }
  | { readonly kind: "done"; readonly id: string; readonly status: number }
  | { readonly kind: "in_progress" }
  | { readonly kind: "reused" };

/**
 * Remembers requests for 24 hours. Because the id of what is made is chosen here, a request that died between its commit
 * and its answer is found again by it instead of being made twice.
 */
export interface Idempotency {
  reserve(request: IdempotentRequest): Effect.Effect<Reservation>;
  /**
   * `id` is of what was answered with: of what was made, or of what had been made before under a name of its own. Counts
   * also where the key was lost to the same request made again, but not where it has become another's since.
   */
  complete(claim: Claim, status: number, id: string): Effect.Effect<void>;
  /** The request was refused: the key is free again, unless it was lost. */
  abandon(claim: Claim): Effect.Effect<void>;
  /** Forgets what has expired. */
  sweep(at: Instant): Effect.Effect<void>;
}
