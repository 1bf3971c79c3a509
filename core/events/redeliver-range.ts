import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { type DeliveryState, sentAgain } from "../model/events/event-delivery.ts";
import type { EventSubscriptionId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";
import { refuseDisabled } from "./refuse-disabled.ts";

/** How many deliveries one request sends again. */
const mostResent = 10_000;

export interface RedeliverEvents {
  readonly eventSubscriptionId: EventSubscriptionId;
  readonly from: Instant;
  readonly to: Instant;
  readonly states: readonly DeliveryState[];
  readonly by: Actor;
}

/** Sends the events of a period again, in their order. Returns their number. */
export const redeliverRange = useCase("events.redeliverRange", function* (unit, command: RedeliverEvents) {
  const subscription = yield* unit.events.lock(command.eventSubscriptionId);
  yield* refuseDisabled(subscription);
  const found = yield* unit.events.listForResend(subscription.id, command, mostResent);
  yield* unit.events.sendAgain(found.map((delivery) => sentAgain(delivery, unit.at)));
  return { deliveries: found.length };
});
