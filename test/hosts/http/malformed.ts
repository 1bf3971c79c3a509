import { describe, expect, test } from "vitest";
import { type Engine, echo, isNative, pause, reaction, serving } from "./engines.ts";

type Outcome = number | "closed" | "silent";

/**
 * Requests that must be refused, because a proxy might parse them differently. The native column holds that engine's
 * known deficiencies, which need a strict proxy in front. "silent" is no answer within the watched time; that engine
 * cuts the connection after ten seconds.
 */
const cases: readonly (readonly [title: string, bytes: string, ours: Outcome, native: Outcome])[] = [
  ["two different lengths", `${post("Content-Length: 1", "Content-Length: 2")}ab`, 400, 200],
  ["the same length twice", `${post("Content-Length: 1", "Content-Length: 1")}a`, 400, 200],
  ["a list of lengths", `${post("Content-Length: 1, 1")}a`, 400, "closed"],
  ["a negative length", post("Content-Length: -1"), 400, "closed"],
  ["a signed length", `${post("Content-Length: +1")}a`, 400, "closed"],
  ["a length in hexadecimal", `${post("Content-Length: 0x1")}a`, 400, "closed"],
  ["a length beyond all numbers", post("Content-Length: 99999999999999999999"), 400, "closed"],
  [
    "a length and chunks",
    `${post("Content-Length: 3", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    400,
    "closed",
  ],
  [
    "chunks and a length",
    `${post("Transfer-Encoding: chunked", "Content-Length: 3")}0\r\n\r\n`,
    400,
    "closed",
  ],
  [
    "a chunk that does not end where it says",
    `${post("Transfer-Encoding: chunked")}3\r\nabcXX0\r\n\r\n`,
    400,
    200,
  ],
  ["a chunk that ends in a bare line feed", `${post("Transfer-Encoding: chunked")}3\nabc\n0\n\n`, 400, 200],
  ["a chunk size that is no number", `${post("Transfer-Encoding: chunked")}xyz\r\n`, 400, "closed"],
  [
    "a chunk size beyond all numbers",
    `${post("Transfer-Encoding: chunked")}fffffffffffffffff\r\n`,
    400,
    "closed",
  ],
  ["a chunk size with a sign", `${post("Transfer-Encoding: chunked")}-3\r\nabc\r\n`, 400, "closed"],
  ["an unknown coding", post("Transfer-Encoding: xchunked"), 501, 501],
  ["a coding under another", `${post("Transfer-Encoding: gzip, chunked")}0\r\n\r\n`, 501, 501],
  ["a coding over another", post("Transfer-Encoding: chunked, gzip"), 400, 501],
  ["chunked twice", `${post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")}0\r\n\r\n`, 400, 200],
  ["no Host", "GET / HTTP/1.1\r\n\r\n", 400, "silent"],
  ["two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, 200],
  ["a folded header", get("X-A: 1\r\n folded"), 400, "silent"],
  ["a space before the colon", get("X-A : 1"), 400, "silent"],
  ["a space before the first header's name", "GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400, "silent"],
  ["a header without a colon", get("nonsense"), 400, "silent"],
  ["a NUL in a header", get("X-A: a\0b"), 400, "silent"],
  ["a bare carriage return in a header", get("X-A: a\rb: c"), 400, "silent"],
  ["a bare line feed for a line end", "GET / HTTP/1.1\nHost: x\n\n", 400, "silent"],
  ["no version", "GET /\r\nHost: x\r\n\r\n", 400, "silent"],
  ["a version that does not exist", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", 400, "silent"],
  ["a method that does not exist", "NONSENSE / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "closed"],
  ["the greeting of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "silent"],
  ["the greeting of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "silent"],
];

function post(...headers: string[]): string {
  return ["POST / HTTP/1.1", "Host: x", ...headers].join("\r\n").concat("\r\n\r\n");
}

function get(...headers: string[]): string {
  return ["GET / HTTP/1.1", "Host: x", ...headers].join("\r\n").concat("\r\n\r\n");
}

export const malformedRequestsAreRefused = (engine: Engine): void => {
  describe("malformed requests", () => {
    test.for(cases)("a request with %s", async ([, bytes, ours, native]) => {
      const client = await (await serving(engine, echo)).open();
      client.send(bytes);
      expect(await reaction(engine, client)).toBe(isNative(engine) ? native : ours);
      if (isNative(engine)) return;
      expect(await client.until(() => client.isClosed)).toBe(true);
    });

    test("bytes after a refused request are never parsed as a request", async () => {
      let handled = 0;
      const { open } = await serving(engine, async (request) => {
        handled += 1;
        return echo(request);
      });
      const client = await open();
      client.send(
        `${post("Transfer-Encoding: chunked")}3\r\nabcXX0\r\n\r\n${get().replace("/", "/smuggled")}`,
      );
      await client.until(() => client.isClosed, isNative(engine) ? 500 : undefined);
      expect(handled).toBe(isNative(engine) ? 2 : 1);
    });

    test("excessive headers are refused", async () => {
      const client = await (await serving(engine, echo)).open();
      client.send(get(`X-Large: ${"x".repeat(100_000)}`));
      expect(await reaction(engine, client)).toBe(isNative(engine) ? 200 : 431);
    });

    test("a hundred headers are accepted", async () => {
      const client = await (await serving(engine, echo)).open();
      client.send(get(...Array.from({ length: 100 }, (_, at) => `X-${at}: 1`)));
      expect(await reaction(engine, client)).toBe(isNative(engine) ? "silent" : 200);
    });

    test("garbage behind a request in progress does not disturb its answer", async () => {
      const { open } = await serving(engine, async (request) => {
        await pause(50);
        return echo(request);
      });
      const client = await open();
      client.send(`${get()}\0\0garbage\r\n\r\n`);
      expect(await reaction(engine, client)).toBe(200);
      if (!isNative(engine)) expect(await client.until(() => client.isClosed)).toBe(true);
    });

    test("a refusal has the one error body and repeats nothing of the request", async () => {
      const client = await (await serving(engine, echo)).open();
      client.send(get("X-Secret : swordfish"));
      if (isNative(engine)) {
        expect([await reaction(engine, client), client.text]).toEqual(["silent", ""]);
        return;
      }
      const response = await client.answer();
      expect(response.status).toBe(400);
      if (engine.name === "our engine over node:http")
        expect(JSON.parse(response.body)).toEqual({
          error: "The request is not valid HTTP.",
          code: "malformed_request",
        });
      expect(JSON.stringify(response)).not.toMatch(/swordfish|HPE|llhttp|uWebSockets|node/i);
    });

    test.runIf(engine.name === "our engine over node:http").for([
      ["no Host", "GET / HTTP/1.1\r\n\r\n", 400, "malformed_request"],
      ["an expectation nobody knows", post("Expect: 200-maybe"), 417, "expectation_failed"],
    ] as const)("a request with %s is refused with the reason", async ([, bytes, status, code]) => {
      const client = await (await serving(engine, echo)).open();
      client.send(bytes);
      const response = await client.answer();
      expect([response.status, JSON.parse(response.body).code]).toEqual([status, code]);
    });
  });
};
