import { refusal } from "../shared/failure.ts";
import type { PushSubscriptionId, SessionId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** A browser that shows notices to a person. */
export interface PushSubscription {
  readonly id: PushSubscriptionId;
  readonly userId: UserId;
  /** It ends with that session. */
  readonly sessionId: SessionId;
  /** Such as "Firefox on Linux"; null: unknown. */
  readonly device: string | null;
  readonly createdAt: Instant;
  /** When the push service last accepted a message; null: never. */
  readonly lastUsedAt: Instant | null;
  /** Why the last message was not accepted; null: it was. */
  readonly lastError: string | null;
}

/** Where a browser receives messages, and the keys that encrypt them: a secret of the browser. */
export interface PushTarget {
  /** Its address at the push service. */
  readonly endpoint: string;
  /** Its public key, an uncompressed point of P-256 in base64url. */
  readonly p256dh: string;
  /** 16 bytes in base64url. */
  readonly auth: string;
}

export const mostPushSubscriptions = 20;

/**
 * How long a browser gets notices after its session has ended by time alone. An idle session asks for a sign-in again after
 * hours; what waits would be missed until then.
 */
export const outlivesSessionSec = 30 * 86_400;

/** Returns what is wrong with the address, or null. */
export const problemOfEndpoint = (endpoint: string): string | null => {
  const url = /\s|\p{Cc}/u.test(endpoint) || !URL.canParse(endpoint) ? null : new URL(endpoint);
  if (url === null || url.protocol !== "https:" || endpoint.includes("#"))
    return "must be an https address without a fragment";
  return url.username === "" && url.password === "" ? null : "must hold no user and no password";
};

export class PushNeedsSession extends refusal(
  "push_needs_session",
  "forbidden",
  "A browser is subscribed by its web session. Sign in on the board page.",
) {}

export class PushServiceRefused extends refusal(
  "push_service_refused",
  "unprocessable",
  "The service doesn't send to the push service of this browser.",
) {}

export class PushSubscriptionNotFound extends refusal(
  "push_subscription_not_found",
  "not_found",
  "This device isn't among yours.",
) {}

export class TooManyPushSubscriptions extends refusal(
  "too_many_push_subscriptions",
  "conflict",
  `You get notices on ${mostPushSubscriptions} devices. Remove one first.`,
) {}

export class PushNotAccepted extends refusal(
  "push_not_accepted",
  "upstream_failed",
  "The push service of this browser did not accept the notice.",
) {}
