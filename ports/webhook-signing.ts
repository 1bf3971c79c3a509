import type * as Redacted from "effect/Redacted";

/** Makes and compares what webhooks are signed with. */
export interface WebhookSigning {
  /** 24 hex digits, and a secret of 48. */
  mint(): { readonly publicId: string; readonly secret: Redacted.Redacted<string> };
  /** The secret's text, for the one answer that shows it. */
  reveal(secret: Redacted.Redacted<string>): string;
  /** Whether the text is the secret; takes as long whatever the text is. */
  isSecret(text: string, secret: Redacted.Redacted<string>): boolean;
  /**
   * A key by which the same signed request is known again, where the signature is HMAC-SHA256 in hex over
   * `<timestamp>.<body>`, or over the body where there is no timestamp; null where it is not. Takes as long whatever the signature is.
   */
  verify(
    signed: { readonly timestamp: string | null; readonly signature: string; readonly body: Uint8Array },
    secret: Redacted.Redacted<string>,
  ): Uint8Array | null;
}
