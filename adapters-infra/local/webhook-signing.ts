import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import * as Redacted from "effect/Redacted";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export const webhookSigning: WebhookSigning = {
  mint: () => ({
    publicId: randomBytes(12).toString("hex"),
    secret: Redacted.make(randomBytes(24).toString("hex")),
  }),
  reveal: Redacted.value,
  // Compares digests, because a comparison of texts would reveal their lengths.
  isSecret: (text, secret) => timingSafeEqual(digest(text), digest(Redacted.value(secret))),
  verify: ({ timestamp, signature, body }, secret) => {
    const expected = createHmac("sha256", Redacted.value(secret))
      .update(timestamp === null ? "" : `${timestamp}.`)
      .update(body)
      .digest();
    const given = Buffer.from(signature, "hex");
    return given.length === expected.length && timingSafeEqual(given, expected)
      ? createHash("sha256").update(expected).digest()
      : null;
  },
};
