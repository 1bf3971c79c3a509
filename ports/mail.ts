import type * as Effect from "effect/Effect";

export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for each attempt, so that a mailbox recognises a message that it has: `<…@…>`. */
  readonly messageId: string;
  /** Header fields in addition to those of every message. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * How an attempt ended. `sent`: the server has accepted the message. `failed`: another attempt may succeed. `refused`: the
 * server will never accept it. `reason` is a sentence without the password.
 */
export type MailAttempt =
  | { readonly status: "sent" }
  | { readonly status: "failed" | "refused"; readonly reason: string };

/** Email by the operator's server. Calls wait at most 30 seconds and never fail. */
export interface Mail {
  /** The domain of the sender, which makes the ids of messages unique. */
  readonly domain: string;
  send(message: MailMessage): Effect.Effect<MailAttempt>;
  /** Connects and signs in without sending anything; null: the server is ready, else a sentence why not. */
  check(): Effect.Effect<string | null>;
}
