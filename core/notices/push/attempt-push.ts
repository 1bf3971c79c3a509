import * as Effect from "effect/Effect";
import type { OutboundPosts } from "../../../ports/outbound-posts.ts";
import type { PushMessage, WebPush } from "../../../ports/web-push.ts";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import type { PushTarget } from "../../model/notices/push-subscription.ts";
import type { PushSubscriptionId, UserId } from "../../model/shared/ids.ts";

/** Where a message goes. */
export interface PushDevice {
  readonly id: PushSubscriptionId;
  readonly target: PushTarget;
}

/** `gone`: the browser has ended its subscription. `error` is a sentence without the browser's address. */
export type PushAttempt =
  | { readonly status: "sent" | "gone" }
  | { readonly status: "failed"; readonly error: string };

export interface PushParts {
  readonly webPush: WebPush;
  readonly posts: OutboundPosts;
}

/** Sends a message to one browser. */
export const attemptPush = (
  { webPush, posts }: PushParts,
  { target }: PushDevice,
  message: PushMessage,
): Effect.Effect<PushAttempt> =>
  Effect.gen(function* () {
    const { status, text } = yield* posts.post(yield* webPush.requestOf(target, message));
    if (status === null) return { status: "failed", error: text };
    if (status === 404 || status === 410) return { status: "gone" };
    if (status >= 200 && status < 300) return { status: "sent" };
    return { status: "failed", error: `${new URL(target.endpoint).host} answered ${status}.` };
  });

/** Stores how an attempt ended. */
export const recordPush = (
  { push, at }: UnitOfWork,
  userId: UserId,
  { id }: PushDevice,
  attempt: PushAttempt,
) =>
  attempt.status === "gone"
    ? Effect.asVoid(push.delete(userId, { id }))
    : push.recordAttempt(id, at, attempt.status === "failed" ? attempt.error : null);
