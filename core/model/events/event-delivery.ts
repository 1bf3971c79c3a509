import type { EntityType } from "../activity/activity-entry.ts";
import { refusal } from "../shared/failure.ts";
import type { EventDeliveryId, EventSubscriptionId } from "../shared/ids.ts";
import { addSeconds, type Instant, secondsBetween } from "../shared/instant.ts";
import { disabled, type EventSubscription } from "./event-subscription.ts";

/** `undelivered`: it failed for a day, or its subscription was disabled. It can be sent again. */
export const deliveryStates = ["pending", "delivered", "undelivered"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** One event on its way to one subscription. */
export interface EventDelivery {
  readonly id: EventDeliveryId;
  readonly subscriptionId: EventSubscriptionId;
  /** The receiver recognises a repetition by it. */
  readonly eventId: string;
  readonly type: string;
  readonly subjectType: EntityType;
  readonly subjectId: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly firstAttemptAt: Instant | null;
  readonly lastAttemptAt: Instant | null;
  /** null: it is not pending. */
  readonly nextAttemptAt: Instant | null;
  /** Of the last answer; null: there was none. */
  readonly status: number | null;
  /** The beginning of the last answer, or why there was none. */
  readonly answer: string | null;
  readonly durationMs: number | null;
  readonly createdAt: Instant;
}

export class EventDeliveryNotFound extends refusal(
  "event_delivery_not_found",
  "not_found",
  "Event delivery not found.",
) {}

/** The answer to one attempt. */
export interface Attempt {
  /** null: there was no answer. */
  readonly status: number | null;
  readonly answer: string;
  readonly durationMs: number;
}

/** For how long failures are retried. */
export const retrySec = 86_400;

/** The pause after each failed attempt; the last repeats. */
const pausesSec = [5, 15, 60, 5 * 60, 15 * 60, 30 * 60, 3_600] as const;
/** The pause of a whole subscription after a round in which everything failed. */
const roundPausesSec = [5, 10, 20, 40, 60] as const;
/** Pauses differ by up to this part, so that what failed together is not retried together. */
const jitter = 0.2;

const pauseOf = (pauses: readonly number[], failures: number, random: number): number =>
  pauses[Math.min(Math.max(failures, 1), pauses.length) - 1]! * (1 + jitter * (2 * random - 1));

/** A number from 0 to 1 that differs from attempt to attempt and is the same in each process. */
export const spreadOf = (id: string, attempts: number): number =>
  ((Number.parseInt(id.slice(-8), 16) + attempts * 0x9e37_79b1) % 0x1_0000_0000) / 0x1_0000_0000;

export const isSuccess = ({ status }: Pick<Attempt, "status">): boolean =>
  status !== null && status >= 200 && status < 300;

/** The delivery after an attempt: delivered, to be retried, or undelivered after a day of failures. */
export const afterAttempt = (delivery: EventDelivery, attempt: Attempt, at: Instant): EventDelivery => {
  const firstAttemptAt = delivery.firstAttemptAt ?? at;
  const attempts = delivery.attempts + 1;
  const tried = { ...delivery, ...attempt, attempts, firstAttemptAt, lastAttemptAt: at };
  if (isSuccess(attempt)) return { ...tried, state: "delivered", nextAttemptAt: null };
  const last = addSeconds(firstAttemptAt, retrySec);
  if (at >= last) return { ...tried, state: "undelivered", nextAttemptAt: null };
  const next = addSeconds(at, pauseOf(pausesSec, attempts, spreadOf(delivery.id, attempts)));
  return { ...tried, nextAttemptAt: next < last ? next : last };
};

/** Waits to be sent again from now on, for another day. */
export const sentAgain = (delivery: EventDelivery, at: Instant): EventDelivery => ({
  ...delivery,
  state: "pending",
  attempts: 0,
  firstAttemptAt: null,
  nextAttemptAt: at,
});

/** The subscription after a round of attempts, and the time until which it pauses; null: it continues. */
export const afterRound = (
  subscription: EventSubscription,
  attempts: readonly Attempt[],
  at: Instant,
): { readonly subscription: EventSubscription; readonly pausedUntil: Instant | null } => {
  const gone = attempts.find(({ status }) => status === 410);
  if (gone !== undefined)
    return {
      subscription: disabled({ ...subscription, lastError: gone.answer }, "gone", at),
      pausedUntil: null,
    };
  const failed = attempts.filter((attempt) => !isSuccess(attempt));
  if (failed.length < attempts.length)
    return {
      subscription: {
        ...subscription,
        failingSince: null,
        failures: 0,
        lastError: failed.at(-1)?.answer ?? null,
      },
      pausedUntil: null,
    };
  const failures = subscription.failures + 1;
  const failing = {
    ...subscription,
    failures,
    failingSince: subscription.failingSince ?? at,
    lastError: failed.at(-1)?.answer ?? null,
  };
  if (secondsBetween(failing.failingSince, at) >= retrySec)
    return { subscription: disabled(failing, "failing", at), pausedUntil: null };
  const pause = pauseOf(roundPausesSec, failures, spreadOf(subscription.id, failures));
  return { subscription: failing, pausedUntil: addSeconds(at, pause) };
};

/** How many deliveries one round attempts: few while the receiver fails. */
export const roundSize = ({ failingSince }: Pick<EventSubscription, "failingSince">): number =>
  failingSince === null ? 32 : 2;
