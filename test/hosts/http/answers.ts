import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { header } from "../../support/raw-socket.ts";
import { answer, deferred, type Engine, isNative, pause, serving } from "./engines.ts";

const MEBIBYTE = 1024 * 1024;

export const answersAreSent = (engine: Engine): void => {
  describe("answers", () => {
    test("text and bytes are sent with their length", async () => {
      const { open } = await serving(engine, async ({ path }) =>
        answer(path === "/text" ? "grün" : Uint8Array.of(0, 1, 255), { "content-type": "text/x" }, 201),
      );
      const client = await open();
      client.request("GET /text HTTP/1.1", "Host: x");
      const text = await client.answer();
      expect(text.status).toBe(201);
      expect([header(text, "content-length"), header(text, "content-type")]).toEqual(["5", "text/x"]);
      client.request("GET /bytes HTTP/1.1", "Host: x");
      expect(Buffer.from((await client.answer()).body, "latin1")).toEqual(Buffer.from([0, 1, 255]));
    });

    test("a header with several values is sent as several lines", async () => {
      const { open } = await serving(engine, async () => answer("", { "set-cookie": ["a=1", "b=2"] }));
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      const response = await client.answer();
      expect(response.headers.filter(([name]) => name === "set-cookie").map(([, value]) => value)).toEqual([
        "a=1",
        "b=2",
      ]);
    });

    test("HEAD reaches the handler as HEAD and gets the headers of GET without a body", async () => {
      const { open } = await serving(engine, async ({ method }) => answer(`for ${method}`));
      const client = await open();
      client.request("HEAD / HTTP/1.1", "Host: x");
      const response = await client.answer({ toHead: true });
      expect([response.status, header(response, "content-length")]).toEqual([200, "8"]);
      // The native engine would misread the connection afterwards, so it is closed there.
      expect(header(response, "connection") === "close").toBe(isNative(engine));
      if (isNative(engine)) {
        await client.until(() => client.isClosed);
        expect(client.text).toBe("");
        return;
      }
      // A body would be read as the begin of the next answer.
      client.request("GET / HTTP/1.1", "Host: x");
      expect((await client.answer()).body).toBe("for GET");
    });

    test("HEAD of a stream of unknown length states no length", async () => {
      const { open } = await serving(engine, async () => answer(new PassThrough()));
      const client = await open();
      client.request("HEAD / HTTP/1.1", "Host: x");
      const response = await client.answer({ toHead: true });
      expect(header(response, "content-length")).toBe(isNative(engine) ? "0" : undefined);
      expect(header(response, "transfer-encoding")).toBeUndefined();
    });

    test("HEAD of a stream states its declared length, sends nothing and destroys the stream", async () => {
      const body = new PassThrough();
      const { open } = await serving(engine, async () => answer(body, { "content-length": "1000000" }));
      const client = await open();
      client.request("HEAD / HTTP/1.1", "Host: x");
      expect(header(await client.answer({ toHead: true }), "content-length")).toBe("1000000");
      expect(body.destroyed).toBe(true);
    });

    test.for([204, 304])("%i has no body, and the connection stays usable", async (status) => {
      const { open } = await serving(engine, async ({ path }) =>
        path === "/" ? answer("ignored", {}, status) : answer("next"),
      );
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      const response = await client.answer();
      expect(response.status).toBe(status);
      // 204 must not have it, but it does no harm.
      expect(header(response, "content-length")).toBe(isNative(engine) ? "0" : undefined);
      expect(header(response, "transfer-encoding")).toBeUndefined();
      client.request("GET /next HTTP/1.1", "Host: x");
      expect((await client.answer()).body).toBe("next");
    });

    test("a stream is sent in chunks, whole, and the connection stays usable", async () => {
      const { open } = await serving(engine, async () => answer(Readable.from(["one ", "two ", "three"])));
      const client = await open();
      for (let turn = 0; turn < 2; turn += 1) {
        client.request("GET / HTTP/1.1", "Host: x");
        const response = await client.answer();
        expect(header(response, "transfer-encoding")).toBe("chunked");
        expect(response.body).toBe("one two three");
      }
    });

    test("a stream of declared length is sent with that length, and the connection stays usable", async () => {
      const { open } = await serving(engine, async ({ path }) =>
        path === "/empty"
          ? answer(Readable.from([]), { "content-length": "0" })
          : answer(Readable.from(["abc", "def"]), { "content-length": "6" }),
      );
      const client = await open();
      for (const [path, body] of [
        ["/", "abcdef"],
        ["/empty", ""],
        ["/", "abcdef"],
      ]) {
        client.request(`GET ${path} HTTP/1.1`, "Host: x");
        const response = await client.answer();
        expect([header(response, "content-length"), response.body]).toEqual([String(body?.length), body]);
        expect(header(response, "transfer-encoding")).toBeUndefined();
      }
    });

    test.for(["shorter", "longer"])("a stream that is %s than declared cuts the connection", async (how) => {
      const { open, defects } = await serving(engine, async () =>
        answer(Readable.from(["abc", how === "longer" ? "defghi" : "d"]), { "content-length": "6" }),
      );
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      expect(await client.until(() => client.isClosed)).toBe(true);
      expect(client.text).not.toContain("defghi");
      expect(defects).toHaveLength(1);
    });

    test("a stream that fails cuts the connection, so that no client takes it for whole", async () => {
      const received = deferred();
      const { open, defects } = await serving(engine, async () =>
        answer(
          Readable.from(
            (async function* () {
              yield "part";
              await received.promise;
              throw new Error("the disk is on fire");
            })(),
          ),
        ),
      );
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      expect(await client.until(() => client.text.includes("part"))).toBe(true);
      received.resolve();
      expect(await client.until(() => client.isClosed)).toBe(true);
      expect(client.text).not.toContain("fire");
      expect(client.text).not.toMatch(/\r\n0\r\n\r\n$/);
      expect(defects).toHaveLength(1);
    });

    test.for(["chunked", "of declared length"])(
      "a client that does not read slows a stream %s",
      async (how) => {
        const total = 48 * MEBIBYTE;
        let made = 0;
        const { open } = await serving(engine, async () =>
          answer(
            new Readable({
              read() {
                const size = Math.min(64 * 1024, total - made);
                made += size;
                this.push(size === 0 ? null : Buffer.alloc(size, "x"));
              },
            }),
            how === "chunked" ? {} : { "content-length": String(total) },
          ),
        );
        const client = await open();
        client.socket.pause();
        client.socket.removeAllListeners("data");
        client.request("GET / HTTP/1.1", "Host: x", "Connection: close");
        // Only time shows that no more of it is made.
        await pause(300);
        expect(made).toBeLessThan(32 * MEBIBYTE);
        let received = 0;
        client.socket.on("data", (chunk) => {
          received += chunk.length;
        });
        client.socket.resume();
        await client.until(() => received >= total);
        expect(received).toBeGreaterThanOrEqual(total);
      },
    );

    test("events are sent one by one, and their stream is destroyed when the client disconnects", async () => {
      const events = new PassThrough();
      const gone = deferred();
      const { open, defects } = await serving(engine, async ({ departure }) => {
        departure.onDeparted(() => gone.resolve());
        return answer(events, { "content-type": "text/event-stream" });
      });
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      for (const event of ["data: 1\n\n", "data: 2\n\n"]) {
        events.write(event);
        expect(await client.until(() => client.text.includes(event))).toBe(true);
      }
      const closed = once(events, "close");
      client.socket.destroy();
      await closed;
      await gone.promise;
      expect(defects).toEqual([]);
    });

    test("the headers of a stream of events are sent before its first event", async () => {
      const { open } = await serving(engine, async () => answer(new PassThrough()));
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      // The native engine cannot send headers alone.
      const isNow = await client.until(
        () => client.text.includes("\r\n\r\n"),
        isNative(engine) ? 500 : undefined,
      );
      expect(isNow).toBe(!isNative(engine));
    });

    test("a client that disconnects in the middle of a large answer destroys its stream", async () => {
      const body = new Readable({
        read() {
          this.push(Buffer.alloc(64 * 1024));
        },
      });
      const closed = once(body, "close");
      const { open, defects } = await serving(engine, async () => answer(body));
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      await client.until(() => client.text.length > 0);
      client.socket.pause();
      // The time in which the answer fills what lies between both; nothing says that it is full.
      await pause(50);
      client.socket.destroy();
      await closed;
      expect(defects).toEqual([]);
    });

    test("a client that disconnects before the answer is noticed, and the unsent stream is destroyed", async () => {
      const body = new PassThrough();
      const closed = once(body, "close");
      const begun = deferred();
      const { open, defects } = await serving(engine, async ({ departure }) => {
        begun.resolve();
        await once(departure.signal, "abort");
        return answer(body);
      });
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      await begun.promise;
      client.socket.destroy();
      await closed;
      expect(defects).toEqual([]);
    });
  });
};
