import { describe, test } from "vitest";
import { answer, deferred, type Engine, echo, isNative, pause, reaction, serving } from "./engines.ts";

/** The native engine has a fixed limit of ten seconds, answers nothing, and counts in steps. */
const nativePatienceMs = 16_000;
/** Both sides run in this process: a busy machine delays what is sent, but not the limit. */
const stallMs = 1_000;

export const stalledRequestsAreCut = (engine: Engine): void => {
  describe("time limits", { concurrent: true }, () => {
    const waitMs = isNative(engine) ? nativePatienceMs : 20_000;
    const expected = isNative(engine) ? "closed" : 408;

    test("headers that do not end time out", async ({ expect, onTestFinished: onFinished }) => {
      const client = await (await serving(engine, echo, { stallMs, onFinished })).open();
      client.send("GET / HTTP/1.1\r\nHost: x\r\n");
      expect(await client.outcome(waitMs)).toBe(expected);
      expect(await client.until(() => client.isClosed)).toBe(true);
    });

    test("headers that arrive line by line time out too", async ({ expect, onTestFinished: onFinished }) => {
      const client = await (await serving(engine, echo, { stallMs, onFinished })).open();
      client.send("GET / HTTP/1.1\r\nHost: x\r\n");
      for (let line = 0; line < 100 && client.text === "" && !client.isClosed; line += 1) {
        client.send(`X-${line}: 1\r\n`);
        await pause(30);
      }
      expect(await reaction(engine, client)).toBe(isNative(engine) ? "silent" : 408);
    });

    test("a body that stops times out, and its reader gets the error", async ({
      expect,
      onTestFinished: onFinished,
    }) => {
      const failed = deferred<string>();
      const { open, defects } = await serving(
        engine,
        async (request) => {
          await request.readBody(100).catch((error: Error) => failed.resolve(error.name));
          return answer("");
        },
        { stallMs, onFinished },
      );
      const client = await open();
      client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 50").send("abc");
      expect(await client.outcome(waitMs)).toBe(expected);
      expect(await failed.promise).toBe("RequestAborted");
      expect(await client.until(() => client.isClosed)).toBe(true);
      expect(defects).toEqual([]);
    });

    test("a body that never begins times out", async ({ expect, onTestFinished: onFinished }) => {
      const client = await (await serving(engine, echo, { stallMs, onFinished })).open();
      client.request("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked");
      expect(await client.outcome(waitMs)).toBe(expected);
    });

    test("a slow body that keeps arriving does not time out", async ({
      expect,
      onTestFinished: onFinished,
    }) => {
      const patient = 4 * stallMs;
      const client = await (await serving(engine, echo, { stallMs: patient, onFinished })).open();
      client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 10");
      for (let piece = 0; piece < 5; piece += 1) {
        await pause(patient / 4);
        client.send("ab");
      }
      expect((await client.answer()).status).toBe(200);
    });

    test("a slow reader does not count against the client", async ({
      expect,
      onTestFinished: onFinished,
    }) => {
      const { open } = await serving(
        engine,
        async (request) => {
          const body = request.streamBody(1_000_000);
          await pause(3 * stallMs);
          let bytes = 0;
          for await (const chunk of body) bytes += chunk.length;
          return answer(String(bytes));
        },
        { stallMs, onFinished },
      );
      const client = await open();
      client.request("POST / HTTP/1.1", "Host: x", "Content-Length: 1000000").send(Buffer.alloc(1_000_000));
      expect((await client.answer()).body).toBe("1000000");
    });

    test("a slow answer does not time out", async ({ expect, onTestFinished: onFinished }) => {
      const { open } = await serving(
        engine,
        async () => {
          await pause(3 * stallMs);
          return answer("at last");
        },
        { stallMs, onFinished },
      );
      const client = await open();
      client.request("GET / HTTP/1.1", "Host: x");
      expect((await client.answer()).body).toBe("at last");
    });
  });
};
