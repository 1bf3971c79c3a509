import * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { SealedSecret } from "../../ports/stores/event-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { EventSubscription } from "../model/events/event-subscription.ts";
import type { Instant } from "../model/shared/instant.ts";

type Owner = Pick<EventSubscription, "id" | "companyId">;

const ownerOf = ({ id, companyId }: Owner, version: number) => ({
  companyId,
  kind: "event_subscription",
  id,
  version,
});

/** Seals the secret of a subscription, or the address of a chat, which is a credential too. */
export const sealedFor = (
  stores: Pick<Stores, "dataKeys">,
  cipher: SecretCipher,
  subscription: Owner & Pick<EventSubscription, "secretVersion">,
  value: Redacted.Redacted<string>,
): Effect.Effect<Uint8Array> =>
  cipher.seal(stores.dataKeys, ownerOf(subscription, subscription.secretVersion), value);

/** The values that are valid now, the present one first. */
export const validSecrets = Effect.fnUntraced(function* (
  stores: Pick<Stores, "dataKeys" | "events">,
  cipher: SecretCipher,
  subscription: EventSubscription,
  at: Instant,
) {
  const { secretVersion, previousSecretUntil } = subscription;
  const isValid = ({ version }: SealedSecret) =>
    version === secretVersion || (previousSecretUntil !== null && previousSecretUntil > at);
  const sealed = (yield* stores.events.secrets(subscription.id)).filter(isValid);
  return yield* Effect.forEach(
    sealed.sort((one, other) => other.version - one.version),
    ({ sealed, version }) =>
      Effect.orDie(cipher.open(stores.dataKeys, ownerOf(subscription, version), sealed)),
  );
});
