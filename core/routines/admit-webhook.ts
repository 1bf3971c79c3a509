import * as Effect from "effect/Effect";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import { useCase } from "../access/unit-of-work.ts";
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
export const admitWebhook = (cipher: SecretCipher, signing: WebhookSigning) =>
  useCase("routines.admitWebhook", function* (unit, { publicId, headers }: AdmitWebhook) {
    const found = yield* unit.routines.findTriggerByPublicId(publicId);
    const proof = proofIn(headers, found, unit.at);
    if (proof === null) return yield* Effect.fail(new Unauthenticated());
    if (proof.kind !== "bearer") return;
    const proven = yield* proveWebhook(unit, { cipher, signing }, found, proof, new Uint8Array());
    if (proven === null) yield* Effect.fail(new Unauthenticated());
  });
