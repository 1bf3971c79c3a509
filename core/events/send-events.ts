import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { EventSigning } from "../../ports/event-signing.ts";
import type { OutboundPosts } from "../../ports/outbound-posts.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { OutgoingDelivery } from "../../ports/stores/event-store.ts";
import { transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import { type Attempt, afterAttempt, afterRound, roundSize } from "../model/events/event-delivery.ts";
import type { EventSubscription } from "../model/events/event-subscription.ts";
import { isHeldAsRestored } from "../model/runs/restored.ts";
import type { ServiceId } from "../model/shared/ids.ts";
import { addSeconds, type Instant, secondsBetween } from "../model/shared/instant.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import { validSecrets } from "./subscription-secret.ts";

/** Longer than a round takes: an answer is waited for 15 seconds at most. */
const leaseSec = 45;
/** How many subscriptions one round leases. */
const perRound = 100;

/** Five sleeps of 10 ms that together take more than 60 ms show that callers are waiting for the process. */
const probe = { sleeps: 5, sleepMs: 10, busyMs: 60 };
/** How long sending pauses for them after a round. */
const restMs = 1_000;

export interface SendingParts extends UseCaseContext {
  readonly cipher: SecretCipher;
  readonly signing: EventSigning;
  readonly posts: OutboundPosts;
  /** The address of the service, for links. */
  readonly address: () => string;
}

/** Runs in the background what must not be waited for: one slow receiver would delay the others. */
export type InBackground = (work: Effect.Effect<void>) => Effect.Effect<unknown>;

/**
 * Queues new events, and sends what is due in the background: to each subscription in the order of each subject, at least once.
 * Several services share the subscriptions by leases. A restored copy sends nothing until its agents are released: the events
 * are the original's.
 */
export const sendEvents = (parts: SendingParts) => {
  const queue = transactAsSystem(parts, "events.queue", function* (unit) {
    if (isHeldAsRestored(yield* unit.services.restored())) return null;
    const ids = yield* unit.events.lockEnabled();
    return ids.length > 0 && (yield* unit.events.enqueue(ids, unit.at));
  });
  const take = (by: ServiceId) =>
    transactAsSystem(parts, "events.take", function* ({ events, at }) {
      return yield* events.take({ by, at, until: addSeconds(at, leaseSec) }, perRound);
    });
  const drain = drainSubscription(parts);
  return (serviceId: ServiceId, inBackground: InBackground) =>
    Effect.gen(function* () {
      const isMore = yield* queue;
      if (isMore === null) return false;
      const claimed = yield* take(serviceId);
      yield* Effect.forEach(claimed, (subscription) => inBackground(drain(serviceId, subscription)), {
        discard: true,
      });
      return isMore;
    });
};

/** Sends to one subscription in rounds, until nothing is due or it pauses. Ends the lease in any case. */
const drainSubscription =
  (parts: SendingParts) =>
  (by: ServiceId, { id }: EventSubscription) => {
    const lease = (at: Instant) => ({ by, until: addSeconds(at, leaseSec) });
    const prepare = transactAsSystem(parts, "events.prepareRound", function* (unit) {
      const subscription = yield* unit.events.lockLeased(id, lease(unit.at));
      if (subscription === null) return null;
      const due = yield* unit.events.due(id, unit.at, roundSize(subscription));
      if (due.length === 0) {
        yield* unit.events.endLease(id, null);
        return null;
      }
      return { subscription, due, secrets: yield* validSecrets(unit, parts.cipher, subscription, unit.at) };
    });

    const finish = (attempts: ReadonlyMap<OutgoingDelivery, Attempt>) =>
      transactAsSystem(parts, "events.finishRound", function* (unit) {
        const { at } = unit;
        const leased = yield* unit.events.lockLeased(id, lease(at));
        // Another service has its lease: it sends them again, which it could not know.
        if (leased === null) return false;
        yield* unit.events.saveAttempts(
          id,
          [...attempts].map(([delivery, attempt]) => afterAttempt(delivery, attempt, at)),
        );
        const { subscription, pausedUntil } = afterRound(leased, [...attempts.values()], at);
        yield* unit.events.save(subscription);
        const { disabledBecause: reason } = subscription;
        if (reason !== null) {
          yield* unit.events.abandonPending(id);
          yield* unit.log("event_subscription.disabled", subscription, { name: subscription.url, reason });
        }
        if (reason !== null || pausedUntil !== null) {
          yield* unit.events.endLease(id, pausedUntil);
          return false;
        }
        return true;
      });

    const round = Effect.gen(function* () {
      const prepared = yield* prepare;
      if (prepared === null) return false;
      const attempt = attemptDelivery(parts, prepared.subscription, prepared.secrets);
      const attempts = yield* Effect.forEach(
        prepared.due,
        (delivery) => Effect.map(attempt(delivery), (answered) => [delivery, answered] as const),
        { concurrency: "unbounded" },
      );
      return yield* finish(new Map(attempts));
    });

    const release = transactAsSystem(parts, "events.release", function* (unit) {
      const leased = yield* unit.events.lockLeased(id, { by, until: unit.at });
      if (leased !== null) yield* unit.events.endLease(id, unit.at);
    });

    return Effect.repeat(Effect.tap(round, restIfBusy(parts.clock)), { while: (goesOn) => goesOn }).pipe(
      Effect.onError(() => Effect.ignoreCause(release)),
      Effect.asVoid,
    );
  };

/** Lets callers go first: events can wait. One sleep alone often falls into a gap between two requests. */
const restIfBusy = (clock: Clock) =>
  Effect.fnUntraced(function* (goesOn: boolean) {
    if (!goesOn) return;
    const from = clock.now();
    yield* Effect.repeat(Effect.sleep(probe.sleepMs), { times: probe.sleeps - 1 });
    if (secondsBetween(from, clock.now()) * 1_000 > probe.busyMs) yield* Effect.sleep(restMs);
  });
