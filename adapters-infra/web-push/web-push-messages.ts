import { createECDH, ECDH } from "node:crypto";
import * as Effect from "effect/Effect";
import type { WebPush } from "../../ports/web-push.ts";

const curve = "prime256v1";
/** The order of the curve P-256: a private key is a number from 1 to below it. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Loaded with the first message: many services send none. */
const library = async () => (await import("web-push")).default;

/**
 * Web Push with the key that comes from a secret of 32 bytes. `subject`: where a push service finds out who sends, an https or
 * mailto address.
 */
export const webPushMessages = (secret: Uint8Array, subject: string): WebPush => {
  const privateKey = privateKeyOf(secret);
  const pair = createECDH(curve);
  pair.setPrivateKey(privateKey);
  const publicKey = pair.getPublicKey().toString("base64url");
  return {
    publicKey,
    isPublicKey: (p256dh) => {
      try {
        // Throws for what is no point of the curve.
        return ECDH.convertKey(Buffer.from(p256dh, "base64url"), curve).length === 65;
      } catch {
        return false;
      }
    },
    requestOf: ({ endpoint, ...browserKeys }, { text, topic, ttlSec, urgency }) =>
      Effect.promise(async () => {
        const { generateRequestDetails } = await library();
        const details = generateRequestDetails({ endpoint, keys: browserKeys }, text, {
          vapidDetails: { subject, publicKey, privateKey: privateKey.toString("base64url") },
          TTL: ttlSec,
          topic,
          urgency,
        });
        const headers = Object.entries(details.headers).map(([name, value]) => [
          name.toLowerCase(),
          String(value),
        ]);
        return {
          url: endpoint,
          headers: Object.fromEntries(headers) as Record<string, string>,
          body: details.body,
          followsRedirects: false,
        };
      }),
  };
};

const privateKeyOf = (secret: Uint8Array): Buffer => {
  const number = BigInt(`0x${Buffer.from(secret).toString("hex")}`);
  return Buffer.from(((number % (order - 1n)) + 1n).toString(16).padStart(64, "0"), "hex");
};
