import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import {
  checkedSubscription,
  disabled,
  type EventSubscription,
  enabled,
} from "../model/events/event-subscription.ts";
import type { EventSubscriptionId } from "../model/shared/ids.ts";
import { patched } from "../model/shared/patch.ts";

export interface UpdateEventSubscription {
  readonly eventSubscriptionId: EventSubscriptionId;
  readonly events?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  readonly by: Actor;
}

/** Changes which events are sent, or whether. Those that happen while it is disabled aren't sent. */
export const updateSubscription = useCase(
  "events.updateSubscription",
  function* (unit, command: UpdateEventSubscription) {
    const before = yield* unit.events.lock(command.eventSubscriptionId);
    const events = command.events === undefined ? undefined : [...new Set(command.events)];
    const { after, changed } = patched<EventSubscription, "events">(before, { events }, ["events"], unit.at);
    yield* Effect.fromResult(checkedSubscription({ ...after, url: "https://unchanged.invalid" }));
    const isEnabled = before.disabledAt === null;
    const switched = command.enabled !== undefined && command.enabled !== isEnabled;
    if (changed.length === 0 && !switched) return before;
    const saved = !switched
      ? after
      : isEnabled
        ? disabled(after, "person", unit.at)
        : enabled(after, unit.at);
    yield* unit.events.save(saved);
    if (switched)
      yield* isEnabled ? unit.events.abandonPending(saved.id) : unit.events.beginWithNext(saved.id);
    yield* unit.log("event_subscription.updated", saved, {
      changed: [...changed, ...(switched ? ["enabled"] : [])],
    });
    return saved;
  },
);
