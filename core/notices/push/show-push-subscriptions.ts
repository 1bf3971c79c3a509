import { type UnitOfWork, useCase } from "../../access/unit-of-work.ts";
import type { BoardCaller } from "../../model/access/caller.ts";
import type { PushSubscription } from "../../model/notices/push-subscription.ts";
import type { PushSubscriptionId } from "../../model/shared/ids.ts";

/** A browser of the caller, as the caller sees it: without its address and its keys. */
export interface ShownPushSubscription extends Omit<PushSubscription, "userId" | "sessionId"> {
  /** Whether it is the browser of the call. */
  readonly current: boolean;
}

/** The browsers on which the caller gets notices. */
export const showPushSubscriptions = useCase("push.show", function* (unit, caller: BoardCaller) {
  return yield* shown(unit, caller);
});

function* shown({ push, at }: UnitOfWork, { userId, tokenId }: BoardCaller) {
  const all = yield* push.of(userId, at);
  return all.map(
    ({ id, device, createdAt, lastUsedAt, lastError, sessionId }): ShownPushSubscription => ({
      id,
      device,
      createdAt,
      lastUsedAt,
      lastError,
      current: sessionId === tokenId,
    }),
  );
}

/** One that was stored in this unit of work. */
export function* shownSubscription(unit: UnitOfWork, caller: BoardCaller, id: PushSubscriptionId) {
  return (yield* shown(unit, caller)).find((each) => each.id === id)!;
}
