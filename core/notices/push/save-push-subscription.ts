import * as Effect from "effect/Effect";
import { transact } from "../../access/unit-of-work.ts";
import { actorOf, type BoardCaller } from "../../model/access/caller.ts";
import {
  mostPushSubscriptions,
  PushNeedsSession,
  PushServiceRefused,
  type PushTarget,
  problemOfEndpoint,
  TooManyPushSubscriptions,
} from "../../model/notices/push-subscription.ts";
import { ValidationFailed } from "../../model/shared/failure.ts";
import type { PushSubscriptionId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";
import type { PushContext } from "./push-channel.ts";
import { sealedTarget } from "./push-target.ts";
import { shownSubscription } from "./show-push-subscriptions.ts";

export interface SavePushSubscription {
  readonly caller: BoardCaller;
  readonly target: PushTarget;
  readonly expiresAt: Instant | null;
}

/**
 * Subscribes the browser of the caller's session. Repeating it is safe: a browser does so whenever its page is opened, which
 * moves the subscription to the session that is signed in there now.
 */
export const savePushSubscription =
  (context: PushContext) =>
  ({ caller, target, expiresAt }: SavePushSubscription) =>
    Effect.gen(function* () {
      const { userId, tokenId: sessionId } = caller;
      if (!caller.session) return yield* Effect.fail(new PushNeedsSession());
      const problem = problemOfEndpoint(target.endpoint);
      if (problem !== null) return yield* invalid(["endpoint"], problem);
      if (!context.webPush.isPublicKey(target.p256dh))
        return yield* invalid(["keys", "p256dh"], "must be a public key of P-256");
      const refusal = yield* context.posts.refusal(target.endpoint);
      if (refusal !== null)
        return yield* Effect.fail(new PushServiceRefused({ path: ["endpoint"] }, refusal));
      const endpointHash = context.credentials.hash(target.endpoint);
      return yield* transact(context, "push.save", actorOf(caller), function* (unit) {
        yield* unit.access.lockUser(userId).pipe(Effect.orDie);
        const found = yield* unit.push.find(endpointHash);
        const before = found?.userId === userId ? found : null;
        const all = yield* unit.push.of(userId, unit.at);
        const others = all.filter((each) => each.id !== before?.id && each.sessionId !== sessionId);
        if (others.length >= mostPushSubscriptions) return yield* Effect.fail(new TooManyPushSubscriptions());
        const id = before?.id ?? unit.newId<"push_subscription">();
        yield* unit.push.save({
          id,
          userId,
          sessionId,
          endpointHash,
          sealed: yield* sealedTarget(unit, context.cipher, id as PushSubscriptionId, target),
          expiresAt,
          createdAt: before?.createdAt ?? unit.at,
        });
        return yield* shownSubscription(unit, caller, id);
      });
    });

const invalid = (path: readonly string[], message: string) =>
  Effect.fail(new ValidationFailed([{ path, code: "invalid", message }]));
