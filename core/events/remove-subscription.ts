import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import type { EventSubscriptionId } from "../model/shared/ids.ts";

export interface RemoveEventSubscription {
  readonly eventSubscriptionId: EventSubscriptionId;
  readonly by: Actor;
}

/** Removes a subscription with its secrets and deliveries. What is queued isn't sent. */
export const removeSubscription = useCase(
  "events.removeSubscription",
  function* (unit, { eventSubscriptionId }: RemoveEventSubscription) {
    const subscription = yield* unit.events.lock(eventSubscriptionId);
    yield* unit.events.delete(subscription.id);
    yield* unit.log("event_subscription.removed", subscription, { name: subscription.url });
  },
);
