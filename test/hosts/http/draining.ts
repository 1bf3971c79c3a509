import { once } from "node:events";
import { createServer } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { AddressInUse } from "../../../hosts/http/listener.ts";
import { header, RawSocket } from "../../support/raw-socket.ts";
import { socketsAt } from "../../support/socket-table.ts";
import { answer, deferred, type Engine, echo, pause, serving } from "./engines.ts";

/** How many connections to a port have bytes that their server has not read. */
const unread = (port: number): number =>
  socketsAt(port).filter(({ isListening, waiting }) => !isListening && waiting > 0).length;

export const portsAreTakenAndGivenBack = (engine: Engine): void => {
  describe("listening", () => {
    test("a port in use by another program is refused as AddressInUse", async () => {
      const other = createServer().listen(0, "127.0.0.1");
      await once(other, "listening");
      const { port } = other.address() as { port: number };
      await expect(engine.listen({ host: "127.0.0.1", port, handle: echo })).rejects.toThrow(AddressInUse);
      other.close();
    });

    test("a port in use by the same engine is refused as AddressInUse", async () => {
      const { port } = await serving(engine, echo);
      await expect(engine.listen({ host: "127.0.0.1", port, handle: echo })).rejects.toThrow(AddressInUse);
    });

    test("an address this machine does not have is refused, and not as AddressInUse", async () => {
      const refused = engine.listen({ host: "192.0.2.1", port: 0, handle: echo });
      await expect(refused).rejects.toThrow(/EADDRNOTAVAIL|Cannot listen/);
    });

    test("a port is free again after the close", async () => {
      const { port, listener } = await serving(engine, echo);
      await listener.close(1_000);
      const again = await engine.listen({ host: "127.0.0.1", port, handle: echo });
      expect(again.port).toBe(port);
      await again.close(0);
    });
  });

  describe("stopping", () => {
    test("requests in progress are answered, the connection is closed, and no new request is accepted", async () => {
      const go = deferred();
      const begun: string[] = [];
      const { open, listener } = await serving(engine, async ({ path }) => {
        begun.push(path);
        await go.promise;
        return answer(path);
      });
      const clients = await Promise.all(Array.from({ length: 20 }, open));
      for (const [at, client] of clients.entries()) client.request(`GET /${at} HTTP/1.1`, "Host: x");
      await expect.poll(() => begun).toHaveLength(20);
      let isOver = false;
      const over = listener.close(30_000).then(() => {
        isOver = true;
      });
      const attempt = async () =>
        RawSocket.open(listener.port).then(
          ({ socket }) => void socket.destroy(),
          (error: Error) => error.message,
        );
      await expect.poll(attempt).toContain("ECONNREFUSED");
      expect(isOver).toBe(false);
      go.resolve();
      for (const [at, client] of clients.entries()) {
        const response = await client.answer();
        expect([response.status, response.body, header(response, "connection")]).toEqual([
          200,
          `/${at}`,
          "close",
        ]);
      }
      await over;
      for (const client of clients) expect(await client.until(() => client.isClosed)).toBe(true);
    });

    test.runIf(process.platform === "linux")(
      "a request that had arrived is answered, though nobody had read it when the stop began",
      async () => {
        const { open, port, listener } = await serving(engine, async ({ path }) => answer(path));
        const clients = await Promise.all(Array.from({ length: 20 }, open));
        for (const [at, client] of clients.entries()) client.request(`GET /${at} HTTP/1.1`, "Host: x");
        // The server is in this process and reads nothing meanwhile.
        for (const until = Date.now() + 20_000; unread(port) < 20; ) expect(Date.now()).toBeLessThan(until);
        const over = listener.close(30_000);
        for (const [at, client] of clients.entries()) expect((await client.answer()).body).toBe(`/${at}`);
        await over;
      },
    );

    test("a request that arrives on an open connection meanwhile does not end the stop too early", async () => {
      const go = deferred();
      let begun = 0;
      const { open, listener } = await serving(engine, async ({ path }) => {
        begun += 1;
        await go.promise;
        return answer(path);
      });
      const [slow, half] = [await open(), await open()];
      slow.request("GET /slow HTTP/1.1", "Host: x");
      half.request("POST /slow HTTP/1.1", "Host: x", "Content-Length: 4");
      await expect.poll(() => begun).toBe(2);
      let isOver = false;
      const over = listener.close(30_000).then(() => {
        isOver = true;
      });
      half.send("body");
      await pause(100);
      expect(isOver).toBe(false);
      go.resolve();
      expect((await slow.answer()).body).toBe("/slow");
      expect((await half.answer()).body).toBe("/slow");
      await over;
    });

    test("before it, a server that keeps no connections still takes new ones, and says so in every answer", async () => {
      const { open, listener } = await serving(engine, echo);
      const openedBefore = await open();
      openedBefore.request("GET /kept HTTP/1.1", "Host: x");
      expect(header(await openedBefore.answer(), "connection")).not.toBe("close");
      listener.closeConnections();
      for (const client of [openedBefore, await open()]) {
        client.request("GET /last HTTP/1.1", "Host: x");
        const response = await client.answer();
        expect([response.status, header(response, "connection")]).toEqual([200, "close"]);
        expect(await client.until(() => client.isClosed)).toBe(true);
      }
      await listener.close(1_000);
    });

    test("an idle connection does not delay it", async () => {
      const { open, listener } = await serving(engine, echo);
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      await client.answer();
      const silent = await open();
      const began = await open();
      began.send("GET / HT");
      await pause(30);
      // Longer than a test may last.
      await listener.close(600_000);
      for (const connection of [client, silent, began])
        expect(await connection.until(() => connection.isClosed)).toBe(true);
    });

    test("an answer in progress is sent to its end, and then its connection closes", async () => {
      const body = new PassThrough();
      const { open, listener } = await serving(engine, async () => answer(body));
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      body.write("before ");
      await client.until(() => client.text.includes("before"));
      const over = listener.close(30_000);
      await pause(30);
      body.end("after");
      expect((await client.answer()).body).toBe("before after");
      await over;
      expect(await client.until(() => client.isClosed)).toBe(true);
    });

    test("requests that outlast the grace are cut", async () => {
      const [begun, aborted] = [deferred(), deferred()];
      const { open, listener } = await serving(engine, async (request) => {
        begun.resolve();
        request.departure.onDeparted(() => aborted.resolve());
        await aborted.promise;
        return answer("too late");
      });
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      await begun.promise;
      const start = Date.now();
      await Promise.all([listener.close(150), aborted.promise]);
      expect(Date.now() - start).toBeGreaterThanOrEqual(140);
      expect(await client.until(() => client.isClosed)).toBe(true);
      expect(client.text).toBe("");
    });

    test("a stop under load fails no request", async () => {
      const { open, listener, defects } = await serving(engine, async (request) => {
        await pause(Math.random() * 20);
        return echo(request);
      });
      let isStopping = false;
      const begun = Array.from({ length: 16 }, () => deferred());
      const work = begun.map(async ({ resolve: hasBegun }) => {
        const client = await open();
        let answered = 0;
        while (!client.isClosed) {
          client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 2").send("{}");
          const response = await client.answer().catch(() => undefined);
          // A request sent into a closing connection is lost, as with any server; an answer in progress never is.
          if (response === undefined) {
            expect([isStopping, client.text]).toEqual([true, ""]);
            break;
          }
          expect(response.status).toBe(200);
          answered += 1;
          hasBegun();
          if (header(response, "connection") === "close") break;
        }
        return answered;
      });
      // On a slow machine, a request that arrives after the stop is rightly refused.
      await Promise.race([Promise.all(begun.map(({ promise }) => promise)), Promise.all(work)]);
      await pause(50);
      isStopping = true;
      await listener.close(30_000);
      for (const answered of await Promise.all(work)) expect(answered).toBeGreaterThan(0);
      expect(defects).toEqual([]);
    });

    test("a second close waits for the first", async () => {
      const { listener, open } = await serving(engine, echo);
      await Promise.all([listener.close(100), listener.close(100)]);
      await expect(open()).rejects.toThrow("ECONNREFUSED");
    });
  });
};
