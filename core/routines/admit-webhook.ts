import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import { transact } from "../access/transact-as.ts";
import { Unauthenticated } from "../model/access/caller.ts";
import { proofIn, type WebhookHeaders } from "../model/routines/webhook-request.ts";
import { proveWebhook } from "./prove-webhook.ts";

export interface AdmitWebhook {
  readonly publicId: string;
  /** Names in lower case. */
  readonly headers: WebhookHeaders;
}

/**
 * Refuses a request by its headers before its body is read: a wrong bearer secret, or a missing signature. Verifying a
 * signature needs the body.
 */
export const admitWebhook =
  (transactor: Transactor, clock: Clock, cipher: SecretCipher, signing: WebhookSigning) =>
  ({ publicId, headers }: AdmitWebhook) =>
    transact(transactor, function* (stores) {
      const found = yield* stores.routines.findTriggerByPublicId(publicId);
      const proof = proofIn(headers, found, clock.now());
      if (proof === null) return yield* Effect.fail(new Unauthenticated());
      if (proof.kind !== "bearer") return;
      const proven = yield* proveWebhook(stores, cipher, signing, found, proof, new Uint8Array());
      if (proven === null) yield* Effect.fail(new Unauthenticated());
    });
