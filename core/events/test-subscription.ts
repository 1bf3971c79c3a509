import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import type { EventDelivery } from "../model/events/event-delivery.ts";
import { testEvent } from "../model/events/event-message.ts";
import type { EventDeliveryId, EventSubscriptionId } from "../model/shared/ids.ts";
import { refuseDisabled } from "./refuse-disabled.ts";

export interface TestEventSubscription {
  readonly id: EventDeliveryId;
  readonly eventSubscriptionId: EventSubscriptionId;
  readonly by: Actor;
}

/** Sends an event that only says that it is a test. */
export const testSubscription = useCase(
  "events.testSubscription",
  function* (unit, { id, eventSubscriptionId }: TestEventSubscription) {
    const subscription = yield* unit.events.lock(eventSubscriptionId);
    yield* refuseDisabled(subscription);
    const delivery: EventDelivery = {
      id,
      subscriptionId: subscription.id,
      eventId: id,
      type: testEvent,
      subjectType: "event_subscription",
      subjectId: id,
      state: "pending",
      attempts: 0,
      firstAttemptAt: null,
      lastAttemptAt: null,
      nextAttemptAt: unit.at,
      status: null,
      answer: null,
      durationMs: null,
      createdAt: unit.at,
    };
    yield* unit.events.insertTest(delivery, subscription);
    return delivery;
  },
);
