import * as Effect from "effect/Effect";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import type { Trigger } from "../model/routines/trigger.ts";

const ownerOf = (trigger: Pick<Trigger, "id" | "companyId">, version: number) => ({
  companyId: trigger.companyId,
  kind: "routine_trigger",
  id: trigger.id,
  version,
});

/** Replaces the trigger's secret and stores it encrypted. Only one answer contains its text. */
export const giveSecret = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  cipher: SecretCipher,
  signing: WebhookSigning,
  trigger: Trigger,
) {
  const version = trigger.secretVersion + 1;
  const { secret } = signing.mint();
  const sealed = yield* cipher.seal(unit.dataKeys, ownerOf(trigger, version), secret);
  yield* unit.routines.keepSecret(trigger.id, { sealed, version }, unit.at);
  return {
    trigger: { ...trigger, secretVersion: version, lastRotatedAt: unit.at },
    secret: signing.reveal(secret),
  };
});

/** Returns the trigger's present secret and its number, or null. */
export const secretOf = Effect.fnUntraced(function* (stores: Stores, cipher: SecretCipher, trigger: Trigger) {
  const kept = yield* stores.routines.findSecret(trigger.id);
  if (kept === null) return null;
  const value = yield* Effect.orDie(
    cipher.open(stores.dataKeys, ownerOf(trigger, kept.version), kept.sealed),
  );
  return { value, version: kept.version };
});
