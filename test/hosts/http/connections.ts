import { describe, expect, test } from "vitest";
import { RawSocket } from "../../support/raw-socket.ts";
import { socketsAt } from "../../support/socket-table.ts";
import { waitingClients } from "../../support/waiting-clients.ts";
import { answer, deferred, type Engine, echo, serving } from "./engines.ts";

const paths = Array.from({ length: 100 }, (_, n) => `/${n}`);

export const connectionsComeFirst = (engine: Engine): void => {
  describe("connections that wait in the kernel", () => {
    test.runIf(process.platform === "linux")(
      "are accepted before most requests begin, so that one which cannot wait overtakes them",
      async () => {
        const begun: string[] = [];
        const { port } = await serving(engine, async (request) => {
          if (request.path !== "/health") await request.connectionsAccepted();
          begun.push(request.path);
          return answer(request.path);
        });
        const clients = await waitingClients(port, [...paths, "/health"]);
        const answers = await Promise.all(clients.map((client) => client.answer()));
        expect(answers.map(({ body }) => body)).toEqual([...paths, "/health"]);
        // One of four had begun, and the rest in their order.
        expect(begun.indexOf("/health")).toBeLessThan(30);
        expect(begun.filter((path) => path !== "/health")).toEqual(paths);
      },
    );

    test.runIf(process.platform === "linux")(
      "are accepted and answered though a stop begins, and though their requests had to wait",
      async () => {
        const { port, listener } = await serving(engine, async (request) => {
          await request.connectionsAccepted();
          return answer(request.path);
        });
        const clients = await waitingClients(port, paths);
        const over = listener.close(30_000);
        const answers = await Promise.all(clients.map((client) => client.answer()));
        expect(answers.map(({ body }) => body)).toEqual(paths);
        await over;
      },
    );

    test("delay no request where none waits", async () => {
      const waits: unknown[] = [];
      const { open } = await serving(engine, async (request) => {
        waits.push(request.connectionsAccepted());
        return answer("");
      });
      const client = await open();
      for (let n = 0; n < 3; n++) {
        client.request("GET / HTTP/1.1", "Host: x");
        await client.answer();
      }
      expect(waits.slice(1)).toEqual([null, null]);
    });
  });
};

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const inChunks = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n` +
  `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** Our engine alone: the native one closes a connection with a second request, and others' servers have their own rules. */
export const requestsOfConnectionTakeTurns = (engine: Engine): void => {
  describe.runIf(engine.name === "our engine over node:http")("the requests of a connection", () => {
    test("are carried out one at a time, with their bodies, in order", async () => {
      let [inProgress, most] = [0, 0];
      const { open } = await serving(engine, async (request) => {
        inProgress++;
        most = Math.max(most, inProgress);
        const response = await echo(request);
        await new Promise(setImmediate);
        inProgress--;
        return response;
      });
      const requests = Array.from(
        { length: 100 },
        (_, n) => [get(`/${n}`), post(`/${n}`, `body ${n}`), inChunks(`/${n}`, `\r\n\r\n${n}`)][n % 3],
      );
      const client = await open();
      client.send(requests.join(""));
      for (let n = 0; n < requests.length; n++)
        expect(JSON.parse((await client.answer()).body)).toMatchObject({
          path: `/${n}`,
          body: ["", `body ${n}`, `\r\n\r\n${n}`][n % 3],
        });
      expect(most).toBe(1);
    });

    test("are the same wherever their bytes are split", async () => {
      const { open } = await serving(engine, echo);
      const bytes = get("/1") + post("/2", "two\r\n\r\n") + inChunks("/3", "three") + get("/4");
      for (let at = 1; at < bytes.length; at += 3) {
        const client = await open();
        client.send(bytes.slice(0, at));
        await new Promise(setImmediate);
        client.send(bytes.slice(at));
        for (const [path, body] of [
          ["/1", ""],
          ["/2", "two\r\n\r\n"],
          ["/3", "three"],
          ["/4", ""],
        ])
          expect(JSON.parse((await client.answer()).body)).toMatchObject({ path, body });
        client.socket.destroy();
      }
    });

    test("are not read from the network while one is in progress", async () => {
      const go = deferred();
      const begun: string[] = [];
      const { open, port } = await serving(engine, async ({ path }) => {
        begun.push(path);
        await go.promise;
        return answer(path);
      });
      const client = await open();
      client.send(get("/").repeat(1_000_000));
      if (process.platform === "linux")
        await expect
          .poll(() => socketsAt(port).some(({ isListening, waiting }) => !isListening && waiting > 0))
          .toBe(true);
      const other = await open();
      other.send(get("/other"));
      await expect.poll(() => begun).toContain("/other");
      expect(begun).toHaveLength(2);
      expect(client.socket.writableLength).toBeGreaterThan(0);
      go.resolve();
    });

    test.for([
      ["GET", get("/").repeat(50_000)],
      ["POST", post("/", "{}").repeat(50_000)],
    ] as const)("are dropped when their client leaves: %s", async ([, bytes]) => {
      const go = deferred();
      let begun = 0;
      const { open, listener } = await serving(engine, async () => {
        begun++;
        await go.promise;
        return answer("x".repeat(1_000));
      });
      const client = await open();
      client.send(bytes);
      await expect.poll(() => begun).toBe(1);
      client.socket.resetAndDestroy();
      go.resolve();
      // Other clients' requests are answered meanwhile; the first answer that cannot be sent shows that it has left.
      const other = await open();
      for (let n = 0; n < 20; n++) {
        other.send(get("/"));
        await other.answer();
      }
      await listener.close(60_000);
      expect(begun - 20).toBeLessThanOrEqual(2);
    });

    test("wait for a client that does not read its answers", async () => {
      const large = Buffer.alloc(8 * 1024 * 1024);
      let begun = 0;
      const { open } = await serving(engine, async ({ path }) => {
        if (path === "/other") return answer("");
        begun++;
        return answer(large);
      });
      const client = await open();
      client.socket.pause();
      client.send(get("/").repeat(500));
      await expect.poll(() => begun).toBeGreaterThan(0);
      const other = await open();
      for (let n = 0; n < 100; n++) {
        other.send(get("/other"));
        await other.answer();
      }
      // The kernel takes less than that for the client.
      expect(begun).toBeLessThanOrEqual(3);
    });

    test("end after ten thousand: the last answer says so, and nothing behind it is carried out", async () => {
      let begun = 0;
      const { open } = await serving(engine, async () => {
        begun++;
        return answer("");
      });
      const client = await open();
      client.send(get("/").repeat(10_100));
      expect(await client.until(() => client.isClosed, 120_000)).toBe(true);
      expect(begun).toBe(10_000);
      expect(client.text.match(/connection: close/gi)).toHaveLength(1);
    });

    test("end with an answer that closes the connection: nothing behind it is carried out", async () => {
      const begun: string[] = [];
      const { open } = await serving(engine, async ({ path }) => {
        begun.push(path);
        return answer("", { connection: "close" });
      });
      const client = await open();
      client.send(get("/1") + get("/2") + post("/3", "x"));
      expect(await client.until(() => client.isClosed)).toBe(true);
      expect(begun).toEqual(["/1"]);
    });
  });

  describe.runIf(engine.name === "our engine over node:http")("the connections of a client", () => {
    test("are limited: a further one gets the reason and is closed, until another one closes", async () => {
      const { open, port } = await serving(engine, async () => answer("served"), {
        perClient: { most: 3, clientOf: (address) => address },
      });
      const clients = await Promise.all([open(), open(), open()]);
      for (const client of clients) {
        client.send(get("/"));
        expect((await client.answer()).status).toBe(200);
      }
      const refused = await open();
      refused.send(get("/"));
      const reason = await refused.answer();
      expect([reason.status, JSON.parse(reason.body).code]).toEqual([429, "too_many_connections"]);
      expect(await refused.until(() => refused.isClosed)).toBe(true);
      clients[0]!.socket.destroy();
      const body = async () => {
        const next = await RawSocket.open(port);
        next.send(get("/"));
        const response = await next.answer();
        next.socket.destroy();
        return response.body;
      };
      await expect.poll(body).toBe("served");
    });

    test("are not limited where the client has no name", async () => {
      const { open } = await serving(engine, async () => answer("served"), {
        perClient: { most: 1, clientOf: () => null },
      });
      for (const client of await Promise.all([open(), open(), open()])) {
        client.send(get("/"));
        expect((await client.answer()).body).toBe("served");
      }
    });
  });
};
