import { createHmac, randomBytes } from "node:crypto";
import * as Redacted from "effect/Redacted";
import type { EventSigning } from "../../ports/event-signing.ts";

const prefix = "whsec_";

/** One HMAC: the package `standardwebhooks`, which brings a SHA-256 in JavaScript, checks it in the tests. */
export const eventSigning: EventSigning = {
  mint: () => Redacted.make(prefix + randomBytes(32).toString("base64")),
  reveal: Redacted.value,
  sign: ({ id, seconds, body }, secrets) => ({
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets
      .map((secret) => {
        const key = Buffer.from(Redacted.value(secret).slice(prefix.length), "base64");
        return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
      })
      .join(" "),
  }),
};
