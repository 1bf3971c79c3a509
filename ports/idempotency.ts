import type * as Effect from "effect/Effect";
import type { Instant } from "../core/model/shared/instant.ts";

/** Digests of caller, endpoint and path of a key, and of the request under it; never the text. */
export interface IdempotentRequest {
  readonly scope: Uint8Array;
  readonly request: Uint8Array;
  /** The id for the created object. */
  readonly newId: string;
  readonly at: Instant;
}

/**
 * One hold of a key. A holder that exceeds its lease loses the key to a repeated request, which creates the same id.
 */
export interface Claim {
  readonly scope: Uint8Array;
  /** The id to create the object under. */
  readonly id: string;
  /** Unique among the holds of the key, so it identifies the holder. */
  readonly until: Instant;
}

/** How a request ended. */
export interface Completion {
  readonly status: number;
  /** The object of the answer, whether this request created it or found it. */
  readonly id: string;
  /** An answer that no record holds, as JSON without any secret; null: it is made from the object again. */
  readonly answer: object | null;
}

/** The holder of a key, as a request with that key sees it. */
export type Reservation =
  /** The request may proceed. `again` tells that an earlier one has no recorded result. */
  | { readonly kind: "reserved"; readonly claim: Claim; readonly again: boolean }
  | ({ readonly kind: "done" } & Completion)
  | { readonly kind: "in_progress" }
  | { readonly kind: "reused" };

/**
 * Remembers requests for 24 hours. The service chooses the id of a created object here, so a retry after a crash
 * between commit and answer finds the object instead of creating another.
 */
export interface Idempotency {
  reserve(request: IdempotentRequest): Effect.Effect<Reservation>;
  /** Works also where the same request has taken the key over, but not where another request has it. */
  complete(claim: Claim, completion: Completion): Effect.Effect<void>;
  /** The request was refused: frees the key, unless it was lost. */
  abandon(claim: Claim): Effect.Effect<void>;
  /** Deletes expired keys. */
  sweep(at: Instant): Effect.Effect<void>;
}
