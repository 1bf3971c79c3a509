import { describe, expect, test } from "vitest";
import { header } from "../../support/raw-socket.ts";
import { answer, deferred, type Engine, echo, isNative, pause, reaction, serving } from "./engines.ts";

export const requestsAreHandedOver = (engine: Engine): void => {
  describe("requests", () => {
    test("the path and the query are passed as they were sent, with percent signs", async () => {
      const client = await (await serving(engine, echo)).open();
      client.request("GET /a%20b/%2Fc/%zz?x=%26&y=a%20b?c HTTP/1.1", "Host: x");
      const response = JSON.parse((await client.answer()).body);
      expect(response).toMatchObject({ method: "GET", path: "/a%20b/%2Fc/%zz", query: "x=%26&y=a%20b?c" });
    });

    test("header names are in lower case, and their values as they were sent", async () => {
      const client = await (await serving(engine, echo)).open();
      client.request("GET / HTTP/1.1", "HOST: x", "X-Service-Run-Id: Run 7", "Authorization:   Bearer T  ");
      expect(JSON.parse((await client.answer()).body).headers).toMatchObject({
        host: "x",
        "x-service-run-id": "Run 7",
        authorization: "Bearer T",
      });
    });

    test.for(["DELETE", "PATCH", "PUT", "OPTIONS"])("%s arrives under its own name", async (method) => {
      const client = await (await serving(engine, echo)).open();
      client.request(`${method} / HTTP/1.1`, "Host: x", "Content-Length: 2").send("{}");
      expect(JSON.parse((await client.answer()).body)).toMatchObject({ method, body: "{}" });
    });

    test("a request line split over packets is joined", async () => {
      const client = await (await serving(engine, echo)).open();
      for (const piece of [
        "GE",
        "T /spl",
        "it?a",
        "=1 HT",
        "TP/1.",
        "1\r",
        "\nHo",
        "st: x\r\n",
        "\r",
        "\n",
      ]) {
        client.send(piece);
        await pause(10);
      }
      expect(JSON.parse((await client.answer()).body)).toMatchObject({ path: "/split", query: "a=1" });
    });

    test("a connection is kept for the next request", async () => {
      const client = await (await serving(engine, echo)).open();
      for (const path of ["/1", "/2", "/3"]) {
        client.request(`POST ${path} HTTP/1.1`, "Host: x", "Content-Length: 3").send("abc");
        expect(JSON.parse((await client.answer()).body)).toMatchObject({ path, body: "abc" });
      }
      expect(client.isClosed).toBe(false);
    });

    test("a small unread body keeps the connection usable", async () => {
      const { open } = await serving(engine, async () => {
        await pause(30);
        return answer("no", {}, 401);
      });
      const client = await open();
      for (let turn = 0; turn < 2; turn += 1) {
        client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 3").send("abc");
        expect((await client.answer()).status).toBe(401);
      }
      expect(client.isClosed).toBe(false);
    });

    test("an answer at once keeps the connection usable, where a small body came with its headers", async () => {
      const { open } = await serving(engine, async () => answer("no", {}, 503));
      const client = await open();
      for (let turn = 0; turn < 2; turn += 1) {
        client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
        expect(header(await client.answer(), "connection")).not.toBe("close");
      }
      expect(client.isClosed).toBe(false);
    });

    test("a connection that the client wants closed is closed", async () => {
      const client = await (await serving(engine, echo)).open();
      client.request("GET / HTTP/1.1", "Host: x", "Connection: close");
      expect((await client.answer()).status).toBe(200);
      await client.until(() => client.isClosed);
      expect(client.isClosed).toBe(true);
    });

    // The native engine closes a connection with a request that waits behind an unanswered one.
    test(
      isNative(engine)
        ? "pipelined requests behind a pending answer lose their connection (native)"
        : "pipelined requests are answered in order, whichever is ready first",
      async () => {
        const first = deferred();
        const { open } = await serving(engine, async ({ path }) => {
          if (path === "/1") await first.promise;
          return answer(path);
        });
        const client = await open();
        client.send(["/1", "/2", "/3"].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
        if (isNative(engine)) {
          expect(await client.until(() => client.isClosed)).toBe(true);
          expect(client.text).toBe("");
          first.resolve();
          return;
        }
        // The time in which an answer would come too early.
        await pause(50);
        expect(client.text).toBe("");
        first.resolve();
        for (const path of ["/1", "/2", "/3"]) expect((await client.answer()).body).toBe(path);
      },
    );

    test("an absolute request target is reduced to its path", async () => {
      const client = await (await serving(engine, echo)).open();
      client.request("GET http://else.where:80/a?b=1 HTTP/1.1", "Host: x");
      if (isNative(engine)) {
        expect(await reaction(engine, client)).toBe("silent");
        return;
      }
      expect(JSON.parse((await client.answer()).body)).toMatchObject({ path: "/a", query: "b=1" });
    });

    test("a handler that fails is answered with 500 without internal details", async () => {
      const { open, defects } = await serving(engine, async () => {
        throw new Error("the password is swordfish");
      });
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      const response = await client.answer();
      expect(response.status).toBe(500);
      expect(JSON.parse(response.body)).toEqual({
        error: "Something went wrong on our side.",
        code: "internal_error",
      });
      expect(defects).toEqual([new Error("the password is swordfish")]);
    });

    test("an answer with a splitting header is not sent, and no detail of it is shown", async () => {
      const { open, defects } = await serving(engine, async () =>
        answer("x", { "content-disposition": "a\r\nset-cookie: stolen=1" }),
      );
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      const response = await client.answer();
      expect(response.status).toBe(500);
      expect(header(response, "set-cookie")).toBeUndefined();
      expect(defects).toHaveLength(1);
    });
  });
};
