import type * as Effect from "effect/Effect";
import type { PushSubscription } from "../../core/model/notices/push-subscription.ts";
import type { NoticeId, PushSubscriptionId, SessionId, UserId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface SealedPushSubscription {
  readonly id: PushSubscriptionId;
  readonly userId: UserId;
  readonly sessionId: SessionId;
  readonly endpointHash: Uint8Array;
  /** Its `PushTarget`. */
  readonly sealed: Uint8Array;
  readonly expiresAt: Instant | null;
  readonly createdAt: Instant;
}

/** By its own id, by its session, or by its address at the push service. */
export type WhichPushSubscription =
  | { readonly id: PushSubscriptionId }
  | { readonly sessionId: SessionId }
  | { readonly endpointHash: Uint8Array };

export interface PushStore {
  /** Those of the person that still get notices, oldest first. They end with their session, with the person, and by time. */
  of(
    userId: UserId,
    at: Instant,
  ): Effect.Effect<readonly (PushSubscription & Pick<SealedPushSubscription, "sealed">)[]>;
  /** The subscription of the browser at that address; locks it. */
  find(
    endpointHash: Uint8Array,
  ): Effect.Effect<Pick<SealedPushSubscription, "id" | "userId" | "createdAt"> | null>;
  /** Stores it, in place of what it was before, and of the others of its session. */
  save(subscription: SealedPushSubscription): Effect.Effect<void>;
  /** Returns false where the person has no such subscription. */
  delete(userId: UserId, which: WhichPushSubscription): Effect.Effect<boolean>;
  /** The push service accepted a message, or did not: `error` says why. */
  recordAttempt(id: PushSubscriptionId, at: Instant, error: string | null): Effect.Effect<void>;
  /** The version of the notice that each browser has. */
  deliveries(noticeId: NoticeId): Effect.Effect<ReadonlyMap<PushSubscriptionId, string>>;
  /** null: the browser has no version of it any more. */
  saveDelivery(noticeId: NoticeId, id: PushSubscriptionId, version: string | null): Effect.Effect<void>;
  /** Deletes subscriptions that have ended; returns how many. */
  deleteEnded(at: Instant, limit: number): Effect.Effect<number>;
}
