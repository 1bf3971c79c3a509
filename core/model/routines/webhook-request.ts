import type { Instant } from "../shared/instant.ts";
import type { SigningMode, Trigger } from "./trigger.ts";

/** The credentials of a webhook request, before they are verified. */
export type Proof =
  | { readonly kind: "bearer"; readonly secret: string }
  | {
      readonly kind: "hmac_sha256";
      /** The text that is signed in front of the body. */
      readonly prefix: string;
      /** One of them has to match: while a secret is replaced, senders sign with both. */
      readonly signatures: readonly Signature[];
      /** Whether the secret is the base64 of the key, with or without `whsec_` before it, rather than the key itself. */
      readonly keyIsBase64: boolean;
      /** The sender's own id of the message, which its repetitions carry too. */
      readonly messageId: string | null;
    };

export type SignatureProof = Extract<Proof, { readonly kind: "hmac_sha256" }>;

export interface Signature {
  readonly encoding: "hex" | "base64";
  readonly text: string;
}

export type WebhookHeaders = Readonly<Record<string, string | undefined>>;

const hexDigits = /^[0-9a-f]{64}$/;
const base64Digits = /^[A-Za-z0-9+/]{43}=$/;
const maxSignatures = 10;

/** The headers in which senders put the HMAC-SHA256 over the body alone. */
const bodySignatures: readonly {
  readonly header: string;
  readonly before: string;
  readonly encoding: Signature["encoding"];
}[] = [
  { header: "x-hub-signature-256", before: "sha256=", encoding: "hex" },
  { header: "x-hub-signature", before: "sha256=", encoding: "hex" },
  { header: "x-gitea-signature", before: "", encoding: "hex" },
  { header: "linear-signature", before: "", encoding: "hex" },
  { header: "sentry-hook-signature", before: "", encoding: "hex" },
  { header: "x-shopify-hmac-sha256", before: "", encoding: "base64" },
];

/**
 * Returns the proof that the trigger's mode requires; null where it is missing, malformed, or outside the replay
 * window.
 */
export const proofIn = (
  headers: WebhookHeaders,
  { signingMode, replayWindowSec }: Pick<Trigger, "signingMode" | "replayWindowSec">,
  at: Instant,
): Proof | null => {
  const signed = signingMode === null ? null : readers[signingMode](headers);
  if (signed === null) return null;
  const { timestamp, ...proof } = signed;
  return timestamp === undefined || isWithin(timestamp, replayWindowSec ?? 0, at) ? proof : null;
};

/** The timestamp is missing where none is signed. */
type Read = (headers: WebhookHeaders) => (Proof & { readonly timestamp?: string }) | null;

const bearer = (secret: string | undefined): Proof | null =>
  secret === undefined ? null : { kind: "bearer", secret };

/** The proof of a signature over the body alone. */
export const bodySignature = (signature: Signature): SignatureProof => ({
  kind: "hmac_sha256",
  prefix: "",
  signatures: [signature],
  keyIsBase64: false,
  messageId: null,
});

const signedBy = (
  signatures: readonly Signature[],
  prefix: string,
  more: { readonly keyIsBase64?: boolean; readonly messageId?: string } = {},
): Proof | null =>
  signatures.length === 0 || signatures.length > maxSignatures
    ? null
    : { kind: "hmac_sha256", prefix, signatures, keyIsBase64: false, messageId: null, ...more };

const stamped = (timestamp: string, proof: Proof | null) =>
  proof === null || !/^\d{1,15}$/.test(timestamp) ? null : { ...proof, timestamp };

const readers: Readonly<Record<SigningMode, Read>> = {
  bearer: (headers) => bearer(/^Bearer +(\S+)$/i.exec((headers.authorization ?? "").trim())?.[1]),
  gitlab_token: (headers) => bearer(headers["x-gitlab-token"] || undefined),
  github_sha256: (headers) => {
    for (const { header, before, encoding } of bodySignatures) {
      const value = headers[header] ?? "";
      const text = value.slice(before.length);
      if (value.startsWith(before) && (encoding === "hex" ? hexDigits : base64Digits).test(text))
        return bodySignature({ encoding, text });
    }
    return null;
  },
  hmac_sha256: (headers) => {
    const timestamp = headers["x-service-timestamp"] ?? "";
    const text = /^(?:sha256=)?([0-9a-f]{64})$/.exec(headers["x-service-signature"] ?? "")?.[1];
    return text === undefined
      ? null
      : stamped(timestamp, signedBy([{ encoding: "hex", text }], `${timestamp}.`));
  },
  stripe: (headers) => {
    const parts = (headers["stripe-signature"] ?? "").split(",").map((part) => part.trim().split("="));
    const timestamp = parts.find(([name]) => name === "t")?.[1] ?? "";
    const signatures = parts.flatMap(([name, text = ""]) =>
      name === "v1" && hexDigits.test(text) ? [{ encoding: "hex" as const, text }] : [],
    );
    return stamped(timestamp, signedBy(signatures, `${timestamp}.`));
  },
  standard_webhooks: (headers) => {
    // Svix, from which the standard comes, has its own names for the same.
    const named = (name: string): string => headers[`webhook-${name}`] ?? headers[`svix-${name}`] ?? "";
    const [messageId, timestamp] = [named("id"), named("timestamp")];
    if (!/^[\x21-\x7e]{1,255}$/.test(messageId)) return null;
    const signatures = named("signature")
      .split(" ")
      .flatMap((part) => {
        const text = /^v1,(.*)$/.exec(part)?.[1] ?? "";
        return base64Digits.test(text) ? [{ encoding: "base64" as const, text }] : [];
      });
    const prefix = `${messageId}.${timestamp}.`;
    return stamped(timestamp, signedBy(signatures, prefix, { keyIsBase64: true, messageId }));
  },
};

const isWithin = (timestamp: string, windowSec: number, at: Instant): boolean =>
  Math.abs(Date.parse(at) - millisOf(Number(timestamp))) <= windowSec * 1000;

/** Senders use seconds or milliseconds; a present time in seconds is never this large. */
const millisOf = (timestamp: number): number => (timestamp > 1e12 ? timestamp : timestamp * 1000);

/** Whether a sender's own secret fits the mode. */
export const fitsMode = (secret: string, mode: SigningMode | null): boolean =>
  mode !== "standard_webhooks" ||
  /^(whsec_)?(?=[^=]{32,86}=*$)([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(secret);
