import type * as Effect from "effect/Effect";
import type {
  DeliveryState,
  EventDelivery,
  EventDeliveryNotFound,
} from "../../core/model/events/event-delivery.ts";
import type { OutgoingEvent } from "../../core/model/events/event-message.ts";
import type {
  EventSubscription,
  EventSubscriptionNotFound,
} from "../../core/model/events/event-subscription.ts";
import type { EventDeliveryId, EventSubscriptionId, ServiceId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** A sealed secret with its number. */
export interface SealedSecret {
  readonly sealed: Uint8Array;
  readonly version: number;
}

/** A delivery with the event that it sends. */
export type OutgoingDelivery = EventDelivery & { readonly event: OutgoingEvent };

export interface EventStore extends EventQueue {
  lock(id: EventSubscriptionId): Effect.Effect<EventSubscription, EventSubscriptionNotFound>;
  /** Its first event is the next one of the company. */
  insert(subscription: EventSubscription, sealed: Uint8Array): Effect.Effect<void>;
  save(subscription: EventSubscription): Effect.Effect<void>;
  /** Stores the next secret; the present one becomes the previous. */
  saveSecret(subscription: EventSubscription, sealed: Uint8Array): Effect.Effect<void>;
  /** Earlier events aren't sent. */
  beginWithNext(id: EventSubscriptionId): Effect.Effect<void>;
  /** With its deliveries. */
  delete(id: EventSubscriptionId): Effect.Effect<void>;
  /** The present secret, and the one before where there was one. */
  secrets(id: EventSubscriptionId): Effect.Effect<readonly SealedSecret[]>;

  /** Locks its subscription, too. */
  lockDelivery(id: EventDeliveryId): Effect.Effect<EventDelivery, EventDeliveryNotFound>;
  /** Queues an event that is in no log, about the subscription itself. */
  insertTest(delivery: EventDelivery, subscription: EventSubscription): Effect.Effect<void>;
  /** Queues them again, behind what is queued, and the subscription with them. */
  sendAgain(deliveries: readonly EventDelivery[]): Effect.Effect<void>;
  /** Those that are not pending, whose events happened in the period, in the order of their events. */
  listForResend(
    id: EventSubscriptionId,
    filter: { readonly from: Instant; readonly to: Instant; readonly states: readonly DeliveryState[] },
    limit: number,
  ): Effect.Effect<readonly EventDelivery[]>;
}

/** The deliveries that are due, and the leases of services that send them. */
export interface EventQueue {
  /** Locks the enabled subscriptions that no other transaction has locked. */
  lockEnabled(): Effect.Effect<readonly EventSubscriptionId[]>;
  /**
   * Queues the next events for locked subscriptions, at most 500 each, in the order of the stream. Returns whether there may be
   * more.
   */
  enqueue(ids: readonly EventSubscriptionId[], at: Instant): Effect.Effect<boolean>;
  /** Leases subscriptions that have something to send and that no live service sends. */
  take(
    lease: { readonly by: ServiceId; readonly at: Instant; readonly until: Instant },
    limit: number,
  ): Effect.Effect<readonly EventSubscription[]>;
  /** The subscription if the service has its lease still, which is renewed; else null. Locks it. */
  lockLeased(
    id: EventSubscriptionId,
    lease: { readonly by: ServiceId; readonly until: Instant },
  ): Effect.Effect<EventSubscription | null>;
  /** The first pending delivery of each subject, where it is due. */
  due(id: EventSubscriptionId, at: Instant, limit: number): Effect.Effect<readonly OutgoingDelivery[]>;
  /** Stores attempts; the next deliveries of subjects that wait for nothing any more follow. */
  saveAttempts(id: EventSubscriptionId, deliveries: readonly EventDelivery[]): Effect.Effect<void>;
  /** All pending ones, because the subscription is disabled. */
  abandonPending(id: EventSubscriptionId): Effect.Effect<void>;
  /** Ends the lease; it is due again then, or when its next delivery is (null). */
  endLease(id: EventSubscriptionId, dueAt: Instant | null): Effect.Effect<void>;
  /** Returns how many were deleted. */
  deleteBefore(at: Instant, limit: number): Effect.Effect<number>;
}
