import * as Effect from "effect/Effect";
import type { EventSigning } from "../../ports/event-signing.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { EventSubscriptionHasNoSecret, withNextSecret } from "../model/events/event-subscription.ts";
import type { EventSubscriptionId } from "../model/shared/ids.ts";
import { sealedFor } from "./subscription-secret.ts";

export interface RotateEventSecret {
  readonly eventSubscriptionId: EventSubscriptionId;
  readonly by: Actor;
}

/** Creates a new secret. For a day, events are signed by both, so that their receiver can change to it in between. */
export const rotateSecret = (cipher: SecretCipher, signing: EventSigning) =>
  useCase("events.rotateSecret", function* (unit, { eventSubscriptionId }: RotateEventSecret) {
    const before = yield* unit.events.lock(eventSubscriptionId);
    if (before.format !== "webhook") yield* Effect.fail(new EventSubscriptionHasNoSecret());
    const subscription = withNextSecret(before, unit.at);
    const secret = signing.mint();
    yield* unit.events.saveSecret(subscription, yield* sealedFor(unit, cipher, subscription, secret));
    yield* unit.log("event_subscription.secret_rotated", subscription, {});
    return { subscription, secret: signing.reveal(secret) };
  });
