import dns from "node:dns/promises";
import { createServer, type Server } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo, Socket } from "node:net";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { outboundPosts } from "../../adapters-infra/outbound/outbound-posts.ts";

/** A name whose owner changes what it leads to between two look-ups. */
const name = "rebinding.example";
const { lookup } = dns;
let answers: string[] = [];
let receiver: Server;
let url: string;
let reached: string[] = [];
let connections: Socket[] = [];

beforeAll(async () => {
  const fake = async () => [{ address: answers.shift() ?? "169.254.169.254", family: 4 }];
  Object.assign(dns, { lookup: fake });
  syncBuiltinESMExports();
  receiver = createServer((request, response) => {
    reached.push(`${request.headers.host}`);
    if (request.url === "/once" && reached.length > 1 && request.socket === connections[0])
      return request.socket.resetAndDestroy();
    response.writeHead(request.url === "/again" ? 307 : 200, { location: "/" }).end("ok");
  });
  receiver.on("connection", (socket) => connections.push(socket));
  await new Promise<void>((resolve) => receiver.listen(0, "0.0.0.0", resolve));
  url = `http://${name}:${(receiver.address() as AddressInfo).port}`;
});
afterAll(() => {
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
  receiver?.closeAllConnections();
  receiver?.close();
});
beforeEach(() => {
  reached = [];
  connections = [];
});

const post = (address: string, allowed: readonly string[] = []) =>
  Effect.runPromise(outboundPosts(new Set(allowed)).post({ url: address, headers: {}, body: "{}" }));

describe("A request to a name", () => {
  it("goes to the address that was judged, whatever the name leads to when it connects", async () => {
    answers = ["127.0.0.1"];
    expect(await post(url, [name])).toMatchObject({ status: 200 });
    expect(reached.length).toBe(1);
    // There was one look-up: the next answer would have been a metadata address.
    expect(await post(url, [name])).toMatchObject({ status: null, text: expect.stringContaining("never") });
    expect(reached.length).toBe(1);
  });

  it("is judged again after a redirect, even one to itself", async () => {
    answers = ["127.0.0.1", "169.254.169.254"];
    expect(await post(`${url}/again`, [name])).toMatchObject({
      status: null,
      text: expect.stringContaining("never called"),
    });
    expect(reached.length).toBe(1);
  });

  it("is refused where one of its addresses is private and the host isn't allowed", async () => {
    answers = ["127.0.0.1"];
    expect(await post(url)).toMatchObject({
      status: null,
      text: expect.stringContaining("SERVICE_OUTBOUND_PRIVATE_HOSTS"),
    });
    expect(reached).toEqual([]);
  });

  it("uses a connection again only where the name leads to the same address", async () => {
    // Connections of other tests are to other addresses.
    answers = ["127.0.0.2", "127.0.0.2", "127.0.0.3"];
    for (const _ of [1, 2, 3]) expect(await post(url, [name])).toMatchObject({ status: 200 });
    expect(connections.map(({ localAddress }) => localAddress)).toEqual(["127.0.0.2", "127.0.0.3"]);
  });

  it("is sent once more where the receiver has closed the connection meanwhile", async () => {
    answers = ["127.0.0.4", "127.0.0.4"];
    for (const _ of [1, 2]) expect(await post(`${url}/once`, [name])).toMatchObject({ status: 200 });
    expect(connections.length).toBe(2);
    expect(reached.length).toBe(3);
  });
});
