import type * as Redacted from "effect/Redacted";
import type { SigningMode } from "../core/model/routines/trigger.ts";
import type { SignatureProof } from "../core/model/routines/webhook-request.ts";

/** Creates the secrets of webhooks and verifies their signatures. */
export interface WebhookSigning {
  /** Creates an id of 24 hex digits. */
  mintPublicId(): string;
  /** Creates a secret of 48 hex digits; for standard_webhooks `whsec_` and the base64 of 32 bytes. */
  mintSecret(mode: SigningMode | null): Redacted.Redacted<string>;
  /** Returns the secret's text, for the one answer that shows it. */
  reveal(secret: Redacted.Redacted<string>): string;
  /** Whether the text is the secret, in constant time. */
  isSecret(text: string, secret: Redacted.Redacted<string>): boolean;
  /**
   * Returns a key that identifies a repeated signed request, where one of the signatures is the HMAC-SHA256 of the prefix and the
   * body; null where none is. Takes constant time for each.
   */
  verify(
    signed: SignatureProof & { readonly body: Uint8Array },
    secret: Redacted.Redacted<string>,
  ): Uint8Array | null;
}
