import type * as Redacted from "effect/Redacted";

/** Signs events as Standard Webhooks 1 asks (https://www.standardwebhooks.com). */
export interface EventSigning {
  /** Creates a secret: `whsec_` and 32 random bytes in base64. */
  mint(): Redacted.Redacted<string>;
  /** Returns the secret's text, for the one answer that shows it. */
  reveal(secret: Redacted.Redacted<string>): string;
  /** Returns the headers of a request, with a signature by each secret. `seconds`: since 1970. */
  sign(
    message: { readonly id: string; readonly seconds: number; readonly body: string },
    secrets: readonly Redacted.Redacted<string>[],
  ): Readonly<Record<string, string>>;
}
