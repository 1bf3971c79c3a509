import type * as Effect from "effect/Effect";

export interface OutboundPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Whether a redirect is followed that repeats the request; omitted: it is. */
  readonly followsRedirects?: false;
}

/** `status` null: there was no answer, and `text` says why in a sentence. */
export interface OutboundAnswer {
  readonly status: number | null;
  /** The beginning of the answer. */
  readonly text: string;
}

/**
 * Requests to addresses that people of a company choose. Each host is looked up once for each request and each redirect, and
 * called at exactly the address that was judged: never one that hands out a machine's credentials, and one on this machine
 * or in a private network only if the instance admin allows the host.
 */
export interface OutboundPosts {
  /** Waits at most 15 seconds, and never fails. Follows redirects that repeat the request (307, 308), at most 3. */
  post(request: OutboundPost): Effect.Effect<OutboundAnswer>;
  /** Returns a sentence why that address isn't called now, or null. */
  refusal(url: string): Effect.Effect<string | null>;
}
