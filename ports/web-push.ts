import type * as Effect from "effect/Effect";
import type { PushTarget } from "../core/model/notices/push-subscription.ts";
import type { OutboundPost } from "./outbound-posts.ts";

export interface PushMessage {
  /** For the browser's worker; at most 3,900 bytes. */
  readonly text: string;
  /** Of messages with the same topic the push service delivers the last. Up to 32 characters of base64url. */
  readonly topic: string;
  /** How long the push service waits for a browser that it doesn't reach. */
  readonly ttlSec: number;
  readonly urgency: "low" | "normal" | "high";
}

/** Messages to browsers by Web Push (RFC 8030): encrypted for the browser, and signed with the key of this installation. */
export interface WebPush {
  /** The key by which push services recognise the installation, in base64url. Always the same. */
  readonly publicKey: string;
  /** Whether messages can be encrypted for that key of a browser. */
  isPublicKey(p256dh: string): boolean;
  /** Makes the request to the push service of the browser. */
  requestOf(target: PushTarget, message: PushMessage): Effect.Effect<OutboundPost>;
}
