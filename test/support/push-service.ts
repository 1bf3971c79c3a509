import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { importJWK, type JWTPayload, jwtVerify } from "jose";
import { mailCertificate } from "./mail-server.ts";

export interface ReceivedPush {
  /** Of the browser's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The claims of the sender, whose signature was verified with its key. */
  readonly sender: JWTPayload & { readonly key: string };
  /** As the browser reads it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
  readonly message: any;
}

/** A browser as its push service knows it. */
export interface PushBrowser {
  readonly path: string;
  /** As `PushSubscription.toJSON()` gives it. */
  readonly subscription: {
    readonly endpoint: string;
    readonly expirationTime: null;
    readonly keys: { readonly p256dh: string; readonly auth: string };
  };
}

/** The status that the push service answers; a promise holds the answer back. */
export type PushAnswer = (push: ReceivedPush) => number | Promise<number>;

export interface PushService {
  readonly url: string;
  readonly received: ReceivedPush[];
  /** Accepts everything until a test sets another. */
  answer: PushAnswer;
  /** Where it redirects to; null: nowhere. */
  redirectsTo: string | null;
  subscribe(): PushBrowser;
  stop(): Promise<void>;
}

/** Decrypts a body for the browser's keys (RFC 8291). */
const decrypted = (body: Buffer, browser: ReturnType<typeof createECDH>, auth: Buffer): string => {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + body[20]!);
  const sealed = body.subarray(21 + body[20]!);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), browser.getPublicKey(), sender]);
  const input = Buffer.from(hkdfSync("sha256", browser.computeSecret(sender), auth, info, 32));
  const part = (name: string, length: number) =>
    Buffer.from(hkdfSync("sha256", input, salt, Buffer.from(`Content-Encoding: ${name}\0`), length));
  const decipher = createDecipheriv("aes-128-gcm", part("aes128gcm", 16), part("nonce", 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2)).toString("utf8");
};

/** Verifies the sender (RFC 8292). */
const senderOf = async (authorization: string, audience: string) => {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")];
  const verified = await jwtVerify(token, await importJWK({ kty: "EC", crv: "P-256", x, y }, "ES256"), {
    audience,
    requiredClaims: ["exp", "sub"],
  });
  return { ...verified.payload, key };
};

/**
 * A push service on loopback, by https with a certificate of its own: until it stops, this process trusts any certificate. It
 * refuses what it can't decrypt and verify.
 */
export const startPushService = async (): Promise<PushService> => {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  const browsers = new Map<string, { readonly pair: ReturnType<typeof createECDH>; readonly auth: Buffer }>();
  const server = createServer(mailCertificate(), async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const browser = browsers.get(request.url ?? "");
    const { authorization = "" } = request.headers;
    if (service.redirectsTo !== null) {
      response.writeHead(307, { location: service.redirectsTo }).end();
      return;
    }
    try {
      const push = {
        path: request.url!,
        headers: request.headers,
        sender: await senderOf(authorization, service.url),
        message: JSON.parse(decrypted(Buffer.concat(chunks), browser!.pair, browser!.auth)),
      };
      service.received.push(push);
      response.writeHead(await service.answer(push)).end();
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const service: PushService = {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: () => 201,
    redirectsTo: null,
    subscribe: () => {
      const pair = createECDH("prime256v1");
      pair.generateKeys();
      const auth = randomBytes(16);
      const path = `/send/${randomBytes(8).toString("hex")}`;
      browsers.set(path, { pair, auth });
      const keys = {
        p256dh: pair.getPublicKey().toString("base64url"),
        auth: auth.toString("base64url"),
      };
      return { path, subscription: { endpoint: service.url + path, expirationTime: null, keys } };
    },
    stop: async () => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
};
