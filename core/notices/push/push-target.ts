import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { SecretCipher } from "../../../ports/secret-cipher.ts";
import type { Stores } from "../../../ports/transactor.ts";
import type { PushTarget } from "../../model/notices/push-subscription.ts";
import type { PushSubscriptionId } from "../../model/shared/ids.ts";

const ownerOf = (id: PushSubscriptionId) => ({
  companyId: null,
  kind: "push_subscription",
  id,
  version: 1,
});

type DataKeys = Pick<Stores, "dataKeys">;

/** Sealed, because with the address and the keys of a browser a program could send to it. */
export const sealedTarget = (
  { dataKeys }: DataKeys,
  cipher: SecretCipher,
  id: PushSubscriptionId,
  target: PushTarget,
): Effect.Effect<Uint8Array> => cipher.seal(dataKeys, ownerOf(id), Redacted.make(JSON.stringify(target)));

export const openedTarget = (
  { dataKeys }: DataKeys,
  cipher: SecretCipher,
  { id, sealed }: { readonly id: PushSubscriptionId; readonly sealed: Uint8Array },
): Effect.Effect<PushTarget> =>
  cipher.open(dataKeys, ownerOf(id), sealed).pipe(
    Effect.orDie,
    Effect.map((text) => JSON.parse(Redacted.value(text)) as PushTarget),
  );
