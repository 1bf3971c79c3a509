import * as Effect from "effect/Effect";
import type { Credentials } from "../../../ports/credentials.ts";
import { useCase } from "../../access/unit-of-work.ts";
import type { BoardCaller } from "../../model/access/caller.ts";
import { PushSubscriptionNotFound } from "../../model/notices/push-subscription.ts";
import type { PushSubscriptionId, SessionId } from "../../model/shared/ids.ts";

export interface RemovePushSubscription {
  readonly caller: BoardCaller;
  /** By its id, its session, or its address at the push service, which the browser alone knows. */
  readonly which:
    | { readonly id: PushSubscriptionId }
    | { readonly sessionId: SessionId }
    | { readonly endpoint: string };
}

/** Ends the notices on a browser of the caller. */
export const removePushSubscription = (credentials: Credentials) =>
  useCase("push.remove", function* (unit, { caller, which }: RemovePushSubscription) {
    const by = "endpoint" in which ? { endpointHash: credentials.hash(which.endpoint) } : which;
    if (!(yield* unit.push.delete(caller.userId, by)))
      return yield* Effect.fail(new PushSubscriptionNotFound());
    return { ok: true as const };
  });
