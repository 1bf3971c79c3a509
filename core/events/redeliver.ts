import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { sentAgain } from "../model/events/event-delivery.ts";
import type { EventDeliveryId } from "../model/shared/ids.ts";
import { refuseDisabled } from "./refuse-disabled.ts";

export interface RedeliverEvent {
  readonly eventDeliveryId: EventDeliveryId;
  readonly by: Actor;
}

/** Sends one event again, now, whatever has become of it. A pending one is retried at once. */
export const redeliver = useCase("events.redeliver", function* (unit, { eventDeliveryId }: RedeliverEvent) {
  const delivery = yield* unit.events.lockDelivery(eventDeliveryId);
  // Its subscription is locked with it, and would be deleted with it.
  yield* refuseDisabled(yield* Effect.orDie(unit.events.lock(delivery.subscriptionId)));
  const again = sentAgain(delivery, unit.at);
  yield* unit.events.sendAgain([again]);
  return again;
});
