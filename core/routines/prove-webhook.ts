import * as Effect from "effect/Effect";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import type { Trigger } from "../model/routines/trigger.ts";
import type { Proof } from "../model/routines/webhook-request.ts";
import { secretOf } from "./webhook-secret.ts";

/** Returns which secret the proof matches, and a key by which a signature is recognised; null where it is wrong. */
export const proveWebhook = Effect.fnUntraced(function* (
  stores: Stores,
  { cipher, signing }: { readonly cipher: SecretCipher; readonly signing: WebhookSigning },
  trigger: Trigger,
  proof: Proof,
  body: Uint8Array,
) {
  const secret = yield* secretOf(stores, cipher, trigger);
  if (secret === null) return null;
  if (proof.kind === "bearer")
    return signing.isSecret(proof.secret, secret.value)
      ? { secretVersion: secret.version, replayKey: null }
      : null;
  const replayKey = signing.verify({ ...proof, body }, secret.value);
  return replayKey === null ? null : { secretVersion: secret.version, replayKey };
});
