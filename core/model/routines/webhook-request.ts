import type { Instant } from "../shared/instant.ts";
import type { Trigger } from "./trigger.ts";

/** The credentials of a webhook request, before they are verified. */
export type Proof =
  | { readonly kind: "bearer"; readonly secret: string }
  /** Without a timestamp the body alone is signed. */
  | { readonly kind: "hmac_sha256"; readonly timestamp: string | null; readonly signature: string };

export type WebhookHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proof that the trigger's mode requires; null where it is missing, malformed, or outside the replay
 * window.
 */
export const proofIn = (
  headers: WebhookHeaders,
  trigger: Pick<Trigger, "signingMode" | "replayWindowSec">,
  at: Instant,
): Proof | null => {
  if (trigger.signingMode === "bearer") {
    const secret = /^Bearer +(\S+)$/i.exec((headers.authorization ?? "").trim())?.[1];
    return secret === undefined ? null : { kind: "bearer", secret };
  }
  if (trigger.signingMode === "github_sha256") {
    const signature = /^sha256=([0-9a-f]{64})$/.exec(headers["x-hub-signature-256"] ?? "")?.[1];
    return signature === undefined ? null : { kind: "hmac_sha256", timestamp: null, signature };
  }
  const timestamp = headers["x-service-timestamp"] ?? "";
  const signature = /^(?:sha256=)?([0-9a-f]{64})$/.exec(headers["x-service-signature"] ?? "")?.[1];
  if (signature === undefined || !/^\d{1,15}$/.test(timestamp)) return null;
  const millis = millisOf(Number(timestamp));
  const windowMs = (trigger.replayWindowSec ?? 0) * 1000;
  if (Math.abs(Date.parse(at) - millis) > windowMs) return null;
  return { kind: "hmac_sha256", timestamp, signature };
};

/** Senders use seconds or milliseconds; a present time in seconds is never this large. */
const millisOf = (timestamp: number): number => (timestamp > 1e12 ? timestamp : timestamp * 1000);
