import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import * as Effect from "effect/Effect";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { clientDocuments } from "../../adapters-infra/outbound/client-documents.ts";
import { selfSigned } from "../support/self-signed.ts";

let server: Server;
let address: string;
let asked: string[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
beforeAll(async () => {
  server = createServer(selfSigned(), (request, response) => {
    asked.push(request.url!);
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `https://localhost:${(server.address() as AddressInfo).port}/client.json`;
});
afterAll(() => {
  server?.closeAllConnections();
  server?.close();
});
beforeEach(() => {
  asked = [];
  // Programs outside of this test do trust the certificates of their clients.
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
});
afterEach(() => vi.unstubAllEnvs());

const here = new Set(["localhost"]);

const sound = (more: object = {}) => ({
  client_id: address,
  client_name: "Claude",
  redirect_uris: ["https://assistant.example/callback"],
  ...more,
});

const answering = (document: unknown, headers: Record<string, string> = {}, status = 200) => {
  answer = (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof document === "string" ? document : JSON.stringify(document));
  };
};

const read = (documents = clientDocuments(here), at = address) =>
  Effect.runPromise(
    Effect.match(documents.read(at), {
      onSuccess: (client) => client as unknown,
      onFailure: ({ code, message }) => `${code} ${message}`,
    }),
  );

describe("The document of a client", () => {
  it("is read, and read again when its headers say so", async () => {
    const documents = clientDocuments(here);
    answering(sound());
    const client = { name: "Claude", redirectUris: ["https://assistant.example/callback"] };
    expect(await read(documents)).toEqual(client);
    expect(await read(documents)).toEqual(client);
    expect(asked).toEqual(["/client.json"]);
    const fresh = clientDocuments(here);
    answering(sound(), { "cache-control": "no-store" });
    await read(fresh);
    answering(sound({ client_name: "Claude 2" }), { "cache-control": "max-age=0" });
    expect(await read(fresh)).toMatchObject({ name: "Claude 2" });
    expect(await read(fresh)).toMatchObject({ name: "Claude 2" });
    expect(asked).toHaveLength(4);
  });

  it.each<[string, () => void, RegExp]>([
    ["that leads elsewhere", () => answering("", { location: "/other.json" }, 302), /answered 302/],
    ["that isn't there", () => answering(sound(), {}, 404), /answered 404/],
    ["above 5 KB", () => answering(sound({ x: "x".repeat(6_000) })), /more than 5 KB/],
    ["that is a page", () => answering(sound(), { "content-type": "text/html" }), /isn't JSON/],
    ["that isn't JSON", () => answering("{"), /isn't JSON/],
    ["that is a list", () => answering([sound()]), /isn't a JSON object/],
    ["of another client", () => answering(sound({ client_id: `${address}?a` })), /client_id/],
    ["with a secret", () => answering(sound({ client_secret: "s" })), /client_secret/],
    [
      "that asks for a secret",
      () => answering(sound({ token_endpoint_auth_method: "client_secret_post" })),
      /client_secret/,
    ],
    ["without redirect URIs", () => answering(sound({ redirect_uris: undefined })), /redirect_uris/],
    [
      "with a script as redirect URI",
      () => answering(sound({ redirect_uris: ["javascript:a()"] })),
      /redirect_uris/,
    ],
  ])("%s is refused, and not remembered", async (_, set, why) => {
    const documents = clientDocuments(here);
    set();
    expect(await read(documents)).toMatch(/^authorization_not_valid /);
    expect(await read(documents)).toMatch(why);
    expect(asked).toEqual(["/client.json", "/client.json"]);
    answering(sound());
    expect(await read(documents)).toMatchObject({ name: "Claude" });
  });

  it("in a private network is never asked for", async () => {
    answering(sound());
    expect(await read(clientDocuments(new Set()))).toMatch(/in a private network or on this machine/);
    const byNumber = address.replace("localhost", "127.0.0.1");
    expect(await read(clientDocuments(here), byNumber)).toMatch(/in a private network or on this machine/);
    expect(asked).toEqual([]);
  });

  it("at a site without a trusted certificate is not read", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "1");
    answering(sound());
    expect(await read()).toMatch(/can't be reached/);
    expect(asked).toEqual([]);
  });

  it("that doesn't come is not waited for", async () => {
    answer = () => {};
    expect(await read()).toMatch(/no answer within 5 seconds/);
  });

  it("that doesn't end is not waited for", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write("{");
    };
    expect(await read()).toMatch(/no answer within 5 seconds/);
  });
});
