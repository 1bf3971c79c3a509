import * as Result from "effect/Result";
import { activityActions } from "../activity/activity-verbs.ts";
import { resemblesSecret } from "../agents/inline-secrets.ts";
import { refusal, ValidationFailed } from "../shared/failure.ts";
import type { CompanyId, EventSubscriptionId } from "../shared/ids.ts";
import { addSeconds, type Instant } from "../shared/instant.ts";
import type { DisabledBecause, EventFormat } from "./event-format.ts";

/** An address outside to which a company sends its events. */
export interface EventSubscription {
  readonly id: EventSubscriptionId;
  readonly companyId: CompanyId;
  /** As people see it. The address of a chat is a credential: only its host is shown. */
  readonly url: string;
  readonly format: EventFormat;
  /** Patterns: `*`, `issue.*`, or the name of one event. */
  readonly events: readonly string[];
  /** Counts its secrets, from 1: each is sealed with its number. */
  readonly secretVersion: number;
  /** Until then the secret before the present one signs, too. */
  readonly previousSecretUntil: Instant | null;
  readonly disabledAt: Instant | null;
  readonly disabledBecause: DisabledBecause | null;
  /** Since the first failure after the last success. */
  readonly failingSince: Instant | null;
  /** How many rounds failed completely since then. */
  readonly failures: number;
  readonly lastError: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export class EventSubscriptionNotFound extends refusal(
  "event_subscription_not_found",
  "not_found",
  "Event subscription not found.",
) {}

export class EventSubscriptionHasNoSecret extends refusal(
  "event_subscription_has_no_secret",
  "unprocessable",
  "Messages to a chat aren't signed: only a subscription in the webhook format has a secret.",
) {}

export class EventSubscriptionDisabled extends refusal(
  "event_subscription_disabled",
  "conflict",
  "The subscription is disabled: enable it first.",
) {}

/** After a rotation both secrets sign for a day. */
const overlapSec = 86_400;

/** Whether a pattern of the subscription names the event. SQL chooses by the same rule (`event-store.ts`). */
export const isSubscribedTo = (events: readonly string[], type: string): boolean =>
  events.some((pattern) => pattern === "*" || pattern === type || pattern === `${type.split(".")[0]}.*`);

const patterns: ReadonlySet<string> = new Set([
  "*",
  ...activityActions,
  ...activityActions.map((action) => `${action.split(".")[0]}.*`),
]);

type Problem = readonly [path: readonly (string | number)[], message: string];

const noPattern =
  "must be *, all events about one kind of record such as issue.*, or one event such as approval.created";

/** Returns what is wrong with the address, or null. */
export const problemOfUrl = (text: string, format: EventFormat): string | null => {
  const url = /\s|\p{Cc}/u.test(text) || !URL.canParse(text) ? null : new URL(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "" || text.includes("#"))
    return "must be an http or https address without a fragment";
  if (url.username !== "" || url.password !== "") return "must hold no user and no password";
  return format === "webhook" && [...url.searchParams].some(([name, value]) => resemblesSecret(name, value))
    ? "looks as if it held a secret, which people would see: events are signed instead"
    : null;
};

/** Checks what a schema cannot. */
export const checkedSubscription = ({
  url,
  format,
  events,
}: Pick<EventSubscription, "url" | "format" | "events">): Result.Result<void, ValidationFailed> => {
  const ofUrl = problemOfUrl(url, format);
  const problems: readonly Problem[] = [
    ...(ofUrl === null ? [] : [[["url"], ofUrl] as const]),
    ...events.flatMap((pattern, at): readonly Problem[] =>
      patterns.has(pattern) ? [] : [[["events", at], noPattern]],
    ),
  ];
  return problems.length === 0
    ? Result.succeed(undefined)
    : Result.fail(
        new ValidationFailed(problems.map(([path, message]) => ({ path, code: "invalid", message }))),
      );
};

/** The address that people see. */
export const shownUrl = (url: string, format: EventFormat): string =>
  format === "webhook" ? url : `${new URL(url).origin}/…`;

/** The subscription with its next secret; the one before stays valid for a day. */
export const withNextSecret = (subscription: EventSubscription, at: Instant): EventSubscription => ({
  ...subscription,
  secretVersion: subscription.secretVersion + 1,
  previousSecretUntil: addSeconds(at, overlapSec),
  updatedAt: at,
});

/** Enabled again, it starts anew: what happened while it was disabled isn't sent. */
export const enabled = (subscription: EventSubscription, at: Instant): EventSubscription => ({
  ...subscription,
  disabledAt: null,
  disabledBecause: null,
  failingSince: null,
  failures: 0,
  lastError: null,
  updatedAt: at,
});

export const disabled = (
  subscription: EventSubscription,
  because: DisabledBecause,
  at: Instant,
): EventSubscription => ({ ...subscription, disabledAt: at, disabledBecause: because, updatedAt: at });
