import type * as Effect from "effect/Effect";
import type { DeliveryState, EventDelivery } from "../../core/model/events/event-delivery.ts";
import type {
  EventSubscription,
  EventSubscriptionNotFound,
} from "../../core/model/events/event-subscription.ts";
import type { CompanyId, EventSubscriptionId } from "../../core/model/shared/ids.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

/** A subscription, and how many of its deliveries are in each state that needs attention. */
export type EventSubscriptionView = EventSubscription & {
  readonly pending: number;
  readonly undelivered: number;
};

export interface EventViews {
  /** The oldest first. */
  list(companyId: CompanyId): Effect.Effect<readonly EventSubscriptionView[]>;
  get(id: EventSubscriptionId): Effect.Effect<EventSubscriptionView, EventSubscriptionNotFound>;
  /** The newest first. */
  deliveries(
    id: EventSubscriptionId,
    state: DeliveryState | undefined,
    page: PageRequest,
  ): Effect.Effect<Page<EventDelivery>, CursorInvalid>;
}
