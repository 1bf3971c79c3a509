import * as Effect from "effect/Effect";
import { type EventSubscription, EventSubscriptionDisabled } from "../model/events/event-subscription.ts";

/** Nothing can be sent to a disabled subscription. */
export const refuseDisabled = ({ disabledAt }: EventSubscription) =>
  disabledAt === null ? Effect.void : Effect.fail(new EventSubscriptionDisabled());
