import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { HttpRequest } from "../../../hosts/http/listener.ts";
import { collectGarbage } from "../../support/collect-garbage.ts";
import { eventually } from "../../support/eventually.ts";
import { header } from "../../support/raw-socket.ts";
import { answer, deferred, type Engine, echo, isNative, pause, reaction, serving } from "./engines.ts";

const MEBIBYTE = 1024 * 1024;

export const bodiesAreRead = (engine: Engine): void => {
  describe("bodies", () => {
    test("a body in the packet of its headers, after them, or in pieces reads the same", async () => {
      const client = await (await serving(engine, echo)).open();
      for (const pieces of [["hello"], ["", "hello"], ["h", "el", "lo"]]) {
        const [first = "", ...rest] = pieces;
        client.send(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n${first}`);
        for (const piece of rest) {
          await pause(15);
          client.send(piece);
        }
        expect(JSON.parse((await client.answer()).body).body).toBe("hello");
      }
    });

    test("a chunked body is joined, whatever its extensions", async () => {
      const client = await (await serving(engine, echo)).open();
      client.request("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked");
      client.send(isNative(engine) ? "3\r\nabc\r\n" : "3;name=value\r\nabc\r\n");
      await pause(15);
      client.send("0A\r\n0123456789\r\n0\r\n\r\n");
      expect(JSON.parse((await client.answer()).body).body).toBe("abc0123456789");
    });

    test("a chunked body may have trailers, which are dropped", async () => {
      const client = await (await serving(engine, echo)).open();
      client.request("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked");
      client.send("3\r\nabc\r\n0\r\nX-Trailer: 1\r\n\r\n");
      const response = JSON.parse((await client.answer()).body);
      expect(response.body).toBe("abc");
      expect(response.headers).not.toHaveProperty("x-trailer");
      client.request("GET /next HTTP/1.1", "Host: x");
      // The native engine takes the trailer for the next request, and waits for its end until it cuts.
      if (isNative(engine)) expect(await reaction(engine, client)).toBe("silent");
      else expect(JSON.parse((await client.answer()).body).path).toBe("/next");
    });

    test.for(["readBody", "streamBody"] as const)(
      "a body (%s) does not stay in memory with the idle connection that it came on",
      async (how) => {
        const parts: WeakRef<Buffer>[] = [];
        const { open } = await serving(engine, async (request) => {
          const note = (part: Buffer) => parts.push(new WeakRef(part));
          if (how === "readBody") note(await request.readBody(MEBIBYTE));
          else for await (const chunk of request.streamBody(MEBIBYTE)) note(chunk);
          return answer("read");
        });
        const client = await open();
        client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 500000").send(Buffer.alloc(500_000));
        expect((await client.answer()).body).toBe("read");
        await expect
          .poll(() => {
            collectGarbage();
            return parts.filter((part) => part.deref() !== undefined).length;
          })
          .toBe(0);
        expect([parts.length > 0, client.isClosed]).toEqual([true, false]);
      },
    );

    test("a request without a body has an empty one", async () => {
      const client = await (await serving(engine, echo)).open();
      client.request("GET / HTTP/1.1", "Host: x");
      expect(JSON.parse((await client.answer()).body).body).toBe("");
      client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 0");
      expect(JSON.parse((await client.answer()).body).body).toBe("");
    });

    test("a body can be read once", async () => {
      const { open } = await serving(engine, async (request) => {
        await request.readBody(10);
        return answer(await request.readBody(10).then(String, (error: Error) => error.message));
      });
      const client = await open();
      client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 1").send("x");
      expect((await client.answer()).body).toContain("already read");
    });

    test("a body with a declared length over the limit is refused without reading it", async () => {
      const client = await (await serving(engine, echo)).open();
      client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 10000000000").send("abc");
      if (isNative(engine)) {
        // It cuts by itself a declared length of a gigabyte or more.
        expect(await reaction(engine, client)).toBe("closed");
        return;
      }
      const response = await client.answer();
      expect([response.status, response.body, header(response, "connection")]).toEqual([
        413,
        "BodyTooLarge",
        "close",
      ]);
      expect(await client.until(() => client.isClosed)).toBe(true);
    });

    test.for(["declared", "chunked"])(
      "a body over the limit (%s) is answered while it is still being sent",
      async (how) => {
        const client = await (await serving(engine, echo)).open();
        client.request(
          "POST / HTTP/1.1",
          "Host: x",
          how === "declared" ? "Content-Length: 100000000" : "Transfer-Encoding: chunked",
        );
        client.send(how === "declared" ? "x".repeat(2_000) : `7d0\r\n${"x".repeat(2_000)}\r\n`);
        const response = await client.answer();
        expect([response.status, response.body, header(response, "connection")]).toEqual([
          413,
          "BodyTooLarge",
          "close",
        ]);
        expect(await client.until(() => client.isClosed)).toBe(true);
      },
    );

    test("a client that continues to send gets the 413", async () => {
      const client = await (await serving(engine, echo)).open();
      client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 4000000");
      for (let sent = 0; sent < 40 && client.text === ""; sent += 1) {
        client.send(Buffer.alloc(100_000));
        await pause(1);
      }
      expect((await client.answer()).status).toBe(413);
    });

    test("a client that sends Expect gets 100 only when the handler reads the body", async () => {
      const { open } = await serving(engine, async (request) =>
        request.path === "/no" ? answer("", {}, 403) : echo(request),
      );
      const refused = await open();
      refused.request("POST /no HTTP/1.1", "Host: x", "Expect: 100-continue", "Content-Length: 5");
      // The others answer 100 to every client, whatever the handler does.
      expect(await reaction(engine, refused)).toBe(engine.name === "our engine over node:http" ? 403 : 100);
      const client = await open();
      client.request("POST / HTTP/1.1", "Host: x", "Expect: 100-continue", "Content-Length: 5");
      expect(await reaction(engine, client)).toBe(100);
      client.send("hello");
      const response = await client.answer();
      expect([response.status, JSON.parse(response.body).body]).toEqual([200, "hello"]);
    });

    test("an upload is slowed to the pace of its reader, and arrives whole", async () => {
      const total = 48 * MEBIBYTE;
      const go = deferred();
      const { open } = await serving(engine, async (request) => {
        if (request.path === "/other") return answer("");
        const body = request.streamBody(total);
        await go.promise;
        const hash = createHash("sha1");
        for await (const chunk of body) hash.update(chunk);
        return answer(hash.digest("hex"));
      });
      const client = await open();
      client.request("POST / HTTP/1.1", "Host: x", `Content-Length: ${total}`);
      const chunk = Buffer.alloc(256 * 1024, "upload");
      const hash = createHash("sha1");
      let accepted = 0;
      for (let sent = 0; sent < total; sent += chunk.length) {
        hash.update(chunk);
        client.socket.write(chunk, () => {
          accepted += chunk.length;
        });
      }
      // It has come to rest once nothing is accepted while another client's requests are answered.
      const other = await open();
      await eventually(
        async () => {
          const before = accepted;
          other.request("GET /other HTTP/1.1", "Host: x");
          await other.answer();
          return accepted - before;
        },
        (more) => more === 0,
      );
      expect(accepted).toBeLessThan(32 * MEBIBYTE);
      go.resolve();
      expect((await client.answer()).body).toBe(hash.digest("hex"));
    });

    test("a reader that is slow between chunks still gets everything", async () => {
      const { open } = await serving(engine, async (request) => {
        let bytes = 0;
        for await (const chunk of request.streamBody(MEBIBYTE)) {
          bytes += chunk.length;
          await pause(1);
        }
        return answer(String(bytes));
      });
      const client = await open();
      client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 1000000").send(Buffer.alloc(1_000_000));
      expect((await client.answer()).body).toBe("1000000");
    });

    test.for(["readBody", "streamBody"] as const)(
      "%s fails with RequestAborted when the client disconnects",
      async (how) => {
        const [begun, failed] = [deferred(), deferred<string>()];
        const { open, defects } = await serving(engine, async (request) => {
          begun.resolve();
          const reading: Promise<unknown> = how === "readBody" ? request.readBody(100) : drain(request);
          await reading.catch((error: Error) => failed.resolve(error.name));
          return answer("nobody hears this");
        });
        const client = await open();
        client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 50").send("half of it");
        await begun.promise;
        client.socket.destroy();
        expect(await failed.promise).toBe("RequestAborted");
        expect(defects).toEqual([]);
      },
    );

    test("a body of a client that only stops sending fails with RequestAborted", async () => {
      const [begun, failed] = [deferred(), deferred<string>()];
      const { open } = await serving(engine, async (request) => {
        begun.resolve();
        await request.readBody(100).catch((error: Error) => failed.resolve(error.name));
        return answer("");
      });
      const client = await open();
      client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 50").send("half of it");
      await begun.promise;
      client.socket.end();
      expect(await failed.promise).toBe("RequestAborted");
    });

    test("an unread stream is harmless when its client disconnects", async () => {
      const [begun, over] = [deferred(), deferred()];
      const { open } = await serving(engine, async (request) => {
        begun.resolve();
        request.streamBody(100);
        request.departure.onDeparted(() => over.resolve());
        await over.promise;
        return answer("still there");
      });
      const client = await open();
      client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 50").send("half of it");
      await begun.promise;
      client.socket.destroy();
      await over.promise;
      const next = await open();
      next.request("GET / HTTP/1.1", "Host: x");
      expect((await next.answer()).body).toBe("still there");
    });

    test("a body that still arrives after its answer harms neither the server nor the next client", async () => {
      const { open } = await serving(engine, async ({ path }) => answer(path));
      const client = await open();
      client.request("POST /early HTTP/1.1", "Host: x", "Content-Length: 500000");
      expect((await client.answer()).body).toBe("/early");
      await new Promise<unknown>((resolve) => client.socket.write(Buffer.alloc(500_000), resolve));
      const next = await open();
      next.request("GET /next HTTP/1.1", "Host: x");
      expect((await next.answer()).body).toBe("/next");
    });
  });
};

const drain = async (request: HttpRequest): Promise<void> => {
  for await (const _chunk of request.streamBody(100));
};
