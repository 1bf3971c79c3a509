import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import * as Redacted from "effect/Redacted";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export const webhookSigning: WebhookSigning = {
  mintPublicId: () => randomBytes(12).toString("hex"),
  mintSecret: (mode) =>
    Redacted.make(
      mode === "standard_webhooks"
        ? `whsec_${randomBytes(32).toString("base64")}`
        : randomBytes(24).toString("hex"),
    ),
  reveal: Redacted.value,
  // Compares digests, because a comparison of texts would reveal their lengths.
  isSecret: (text, secret) => timingSafeEqual(digest(text), digest(Redacted.value(secret))),
  verify: ({ prefix, signatures, keyIsBase64, body }, secret) => {
    const text = Redacted.value(secret);
    const key = keyIsBase64 ? Buffer.from(text.replace(/^whsec_/, ""), "base64") : text;
    const expected = createHmac("sha256", key).update(prefix).update(body).digest();
    let matches = false;
    for (const { text: signature, encoding } of signatures) {
      const given = Buffer.from(signature, encoding);
      if (given.length === expected.length && timingSafeEqual(given, expected)) matches = true;
    }
    return matches ? createHash("sha256").update(expected).digest() : null;
  },
};
