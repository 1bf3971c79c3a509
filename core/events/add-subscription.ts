import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { EventSigning } from "../../ports/event-signing.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import { requireRoom } from "../access/require-room.ts";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import type { EventFormat } from "../model/events/event-format.ts";
import { checkedSubscription, type EventSubscription, shownUrl } from "../model/events/event-subscription.ts";
import type { CompanyId, EventSubscriptionId } from "../model/shared/ids.ts";
import { sealedFor } from "./subscription-secret.ts";

export interface AddEventSubscription {
  readonly id: EventSubscriptionId;
  readonly companyId: CompanyId;
  readonly url: string;
  readonly format: EventFormat;
  readonly events: readonly string[];
  readonly by: Actor;
}

/** Sends the company's next events to the address. Returns the secret that signs them, for one answer; null for a chat. */
export const addSubscription = (cipher: SecretCipher, signing: EventSigning) =>
  useCase("events.addSubscription", function* (unit, command: AddEventSubscription) {
    const { id, companyId, url, format } = command;
    const events = [...new Set(command.events)];
    yield* Effect.fromResult(checkedSubscription({ url, format, events }));
    yield* requireRoom(unit, "eventSubscriptions", companyId, companyId);
    const subscription: EventSubscription = {
      id,
      companyId,
      url: shownUrl(url, format),
      format,
      events,
      secretVersion: 1,
      previousSecretUntil: null,
      disabledAt: null,
      disabledBecause: null,
      failingSince: null,
      failures: 0,
      lastError: null,
      createdAt: unit.at,
      updatedAt: unit.at,
    };
    const secret = format === "webhook" ? signing.mint() : null;
    yield* unit.events.insert(
      subscription,
      yield* sealedFor(unit, cipher, subscription, secret ?? Redacted.make(url)),
    );
    yield* unit.log("event_subscription.created", subscription, { name: subscription.url, format });
    return { subscription, secret: secret === null ? null : signing.reveal(secret) };
  });
