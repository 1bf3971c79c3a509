import type * as Redacted from "effect/Redacted";

/** Creates the secrets of webhooks and verifies their signatures. */
export interface WebhookSigning {
  /** Creates an id of 24 hex digits and a secret of 48. */
  mint(): { readonly publicId: string; readonly secret: Redacted.Redacted<string> };
  /** Returns the secret's text, for the one answer that shows it. */
  reveal(secret: Redacted.Redacted<string>): string;
  /** Whether the text is the secret, in constant time. */
  isSecret(text: string, secret: Redacted.Redacted<string>): boolean;
  /**
   * Returns a key that identifies a repeated signed request, where the signature is the hex HMAC-SHA256 of
   * `<timestamp>.<body>`, or of the body without a timestamp; null for another signature. Takes constant time.
   */
  verify(
    signed: { readonly timestamp: string | null; readonly signature: string; readonly body: Uint8Array },
    secret: Redacted.Redacted<string>,
  ): Uint8Array | null;
}
