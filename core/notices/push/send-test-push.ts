import * as Effect from "effect/Effect";
import { transact, transactAsSystem } from "../../access/unit-of-work.ts";
import { actorOf, type BoardCaller } from "../../model/access/caller.ts";
import { PushNotAccepted, PushSubscriptionNotFound } from "../../model/notices/push-subscription.ts";
import type { PushSubscriptionId } from "../../model/shared/ids.ts";
import { attemptPush, recordPush } from "./attempt-push.ts";
import type { PushContext } from "./push-channel.ts";
import { testMessage } from "./push-message.ts";
import { openedTarget } from "./push-target.ts";

export interface SendTestPush {
  readonly caller: BoardCaller;
  readonly pushSubscriptionId: PushSubscriptionId;
}

/** Sends a notice that only says that it is a test, and waits for the push service. */
export const sendTestPush =
  (context: PushContext) =>
  ({ caller, pushSubscriptionId: id }: SendTestPush) =>
    Effect.gen(function* () {
      const { userId } = caller;
      const device = yield* transact(context, "push.prepareTest", actorOf(caller), function* (unit) {
        const found = (yield* unit.push.of(userId, unit.at)).find((each) => each.id === id);
        if (found === undefined) return yield* Effect.fail(new PushSubscriptionNotFound());
        return { id, target: yield* openedTarget(unit, context.cipher, found) };
      });
      const attempt = yield* attemptPush(context, device, testMessage(id));
      yield* transactAsSystem(context, "push.finishTest", function* (unit) {
        yield* recordPush(unit, userId, device, attempt);
      });
      if (attempt.status === "failed")
        return yield* Effect.fail(new PushNotAccepted(undefined, attempt.error));
      if (attempt.status === "gone") return yield* Effect.fail(new PushSubscriptionNotFound());
      return { ok: true as const };
    });
