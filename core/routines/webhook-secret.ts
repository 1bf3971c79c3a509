import * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { type Trigger, TriggerFieldsInvalid } from "../model/routines/trigger.ts";
import { fitsMode } from "../model/routines/webhook-request.ts";

const ownerOf = (trigger: Pick<Trigger, "id" | "companyId">, version: number) => ({
  companyId: trigger.companyId,
  kind: "routine_trigger",
  id: trigger.id,
  version,
});

/** Gives the trigger a new secret. Only one answer contains its text. */
export const giveSecret = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  cipher: SecretCipher,
  signing: WebhookSigning,
  trigger: Trigger,
) {
  const secret = signing.mintSecret(trigger.signingMode);
  return { trigger: yield* replaceSecret(unit, cipher, trigger, secret), secret: signing.reveal(secret) };
});

/** As giveSecret; where the sender has made the secret, it is stored instead, and no answer contains it. */
export const giveOrStoreSecret = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { cipher, signing }: { readonly cipher: SecretCipher; readonly signing: WebhookSigning },
  trigger: Trigger,
  ofSender: Redacted.Redacted<string> | undefined,
) {
  if (ofSender === undefined) return yield* giveSecret(unit, cipher, signing, trigger);
  if (!fitsMode(signing.reveal(ofSender), trigger.signingMode))
    yield* Effect.fail(
      new TriggerFieldsInvalid(
        { path: ["secret"] },
        "The secret of Standard Webhooks is the base64 of 24 to 64 bytes, with or without `whsec_` before it.",
      ),
    );
  return { trigger: yield* replaceSecret(unit, cipher, trigger, ofSender), secret: null };
});

/** Replaces the trigger's secret and stores it encrypted. */
const replaceSecret = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  cipher: SecretCipher,
  trigger: Trigger,
  secret: Redacted.Redacted<string>,
) {
  const version = trigger.secretVersion + 1;
  const sealed = yield* cipher.seal(unit.dataKeys, ownerOf(trigger, version), secret);
  yield* unit.routines.keepSecret(trigger.id, { sealed, version }, unit.at);
  return { ...trigger, secretVersion: version, lastRotatedAt: unit.at };
});

/** Returns the trigger's present secret and its number, or null. */
export const secretOf = Effect.fnUntraced(function* (stores: Stores, cipher: SecretCipher, trigger: Trigger) {
  const stored = yield* stores.routines.findSecret(trigger.id);
  if (stored === null) return null;
  const value = yield* Effect.orDie(
    cipher.open(stores.dataKeys, ownerOf(trigger, stored.version), stored.sealed),
  );
  return { value, version: stored.version };
});
