import { describe, expect, test } from "vitest";
import type { HttpRequest } from "../../../hosts/http/listener.ts";
import { readMultipart } from "../../../hosts/http/multipart.ts";
import { answer, deferred, type Engine, pause, type Served, serving } from "./engines.ts";

const limitBytes = 200_000;

/** Answers with the upload, or 400 and the name of the error. */
const upload =
  (seen: { stored?: string; discarded?: string } = {}) =>
  async (request: HttpRequest) => {
    try {
      const read = await readMultipart(request, {
        fields: ["title", "note"],
        maxFileBytes: limitBytes,
        maxFieldBytes: 100,
        store: async ({ filename, contentType, stream }) => {
          let bytes = 0;
          for await (const chunk of stream) bytes += chunk.length;
          seen.stored = filename;
          return { filename, contentType, bytes };
        },
        discard: async ({ filename }) => {
          seen.discarded = filename;
        },
      });
      return answer(JSON.stringify(read));
    } catch (error) {
      return answer((error as Error).name, {}, 400);
    }
  };

const file = (content: string, name = "file", filename = "a.txt") =>
  `--B\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: text/plain; charset=x\r\n\r\n${content}\r\n`;
const field = (name: string, value: string) =>
  `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const end = "--B--\r\n";
const uploadHead = (length: number, type = "multipart/form-data; boundary=B") => [
  "POST / HTTP/1.1",
  "Host: x",
  `Content-Type: ${type}`,
  `Content-Length: ${length}`,
];

const send = async ({ open }: Served, body: string, type = "multipart/form-data; boundary=B") => {
  const client = await open();
  client.request(...uploadHead(body.length, type));
  client.send(body);
  return client.answer();
};

export const uploadsAreRead = (engine: Engine): void => {
  describe("multipart uploads", () => {
    test.for([
      ["before", field("title", "T") + field("note", "") + file("hello")],
      ["after", file("hello") + field("title", "T") + field("note", "")],
    ])("the file is stored and the fields %s it are read", async ([, parts]) => {
      const response = await send(await serving(engine, upload()), parts + end);
      expect(JSON.parse(response.body)).toEqual({
        fields: { title: "T", note: "" },
        stored: { filename: "a.txt", contentType: "text/plain", bytes: 5 },
      });
    });

    test("a file of exactly the limit is accepted, and its name loses folders", async () => {
      const parts = file("x".repeat(limitBytes), "file", "../../etc/x.txt");
      const response = await send(await serving(engine, upload()), parts + end);
      expect(JSON.parse(response.body).stored).toMatchObject({ filename: "x.txt", bytes: limitBytes });
    });

    test("a name in another script is read as it was written", async () => {
      const name = Buffer.from("報告.txt").toString("latin1");
      const response = await send(await serving(engine, upload()), file("x", "file", name) + end);
      expect(JSON.parse(Buffer.from(response.body, "latin1").toString()).stored.filename).toBe("報告.txt");
    });

    test("a quoted boundary is accepted", async () => {
      const type = 'multipart/form-data; charset=utf-8; boundary="B"';
      const response = await send(await serving(engine, upload()), file("x") + end, type);
      expect(JSON.parse(response.body).stored.bytes).toBe(1);
    });

    test("an empty file is accepted", async () => {
      const response = await send(await serving(engine, upload()), file("") + end);
      expect(JSON.parse(response.body).stored.bytes).toBe(0);
    });

    test.for([
      ["has no file", field("title", "T") + end, "FileMissing"],
      ["is empty", end, "FileMissing"],
      ["has text for its file", field("file", "x") + end, "FileMissing"],
      ["has a file under another name", file("x", "image") + end, "UnexpectedPart"],
      ["has two files", file("x") + file("y") + end, "UnexpectedPart"],
      ["has a field that was not declared", field("else", "x") + file("x") + end, "UnexpectedPart"],
      ["has a field twice", field("title", "x") + field("title", "x") + file("x") + end, "UnexpectedPart"],
      [
        "has a field named like what every object has",
        field("constructor", "x") + file("x") + end,
        "UnexpectedPart",
      ],
      ["has a part without a disposition", `--B\r\nX: y\r\n\r\nx\r\n${file("x")}${end}`, "UnexpectedPart"],
      [
        "has a part that is not form data",
        `${file("x")}--B\r\nContent-Disposition: attachment; name="title"\r\n\r\nx\r\n${end}`,
        "UnexpectedPart",
      ],
      ["has a line that begins like its boundary", file("x\r\n--Bx\r\ny") + end, "UnexpectedPart"],
      ["has a field over its limit", field("title", "x".repeat(101)) + file("x") + end, "BodyTooLarge"],
      ["has a file over its limit", file("x".repeat(limitBytes + 1)) + end, "BodyTooLarge"],
      ["is over all limits together", file("x".repeat(limitBytes + 100_000)) + end, "BodyTooLarge"],
      ["breaks off inside its file", file("x").slice(0, -1), "MalformedMultipart"],
      ["breaks off behind its file", file("x"), "MalformedMultipart"],
      ["breaks off inside a part's header", "--B\r\nContent-Disposition: form-d", "MalformedMultipart"],
      ["has a broken header in a part", `--B\r\nbroken header\r\n\r\nx\r\n${end}`, "MalformedMultipart"],
      ["has no part at all", "", "MalformedMultipart"],
      ["is no multipart inside", "hello", "MalformedMultipart"],
    ] as const)("an upload that %s is refused", async ([, body, error]) => {
      const response = await send(await serving(engine, upload()), body);
      expect([response.status, response.body]).toEqual([400, error]);
    });

    test.for([
      ["application/json", "NotMultipart"],
      ["multipart/mixed; boundary=B", "NotMultipart"],
      ["multipart/form-data", "MalformedMultipart"],
      ["multipart/form-data; boundary=", "MalformedMultipart"],
    ] as const)("a content type of %s is refused", async ([type, error]) => {
      const response = await send(await serving(engine, upload()), file("x") + end, type);
      expect([response.status, response.body]).toEqual([400, error]);
    });

    test("a stored file is deleted if the upload is refused afterwards", async () => {
      const seen: { stored?: string; discarded?: string } = {};
      const { open } = await serving(engine, upload(seen));
      const client = await open();
      // A file ends only when the next part begins.
      const [first, second] = [file("x") + field("title", "T"), field("else", "y") + end];
      client.request(...uploadHead(first.length + second.length)).send(first);
      await client.until(() => seen.stored !== undefined);
      client.send(second);
      expect([(await client.answer()).body, seen]).toEqual([
        "UnexpectedPart",
        { stored: "a.txt", discarded: "a.txt" },
      ]);
    });

    test("a store that fails fails the upload at once, while it is still being sent", async () => {
      const { open } = await serving(engine, async (request) => {
        const failed = readMultipart(request, {
          fields: [],
          maxFileBytes: limitBytes,
          store: async () => {
            throw new Error("full");
          },
        });
        return answer(await failed.then(String, (error: Error) => error.message), {}, 500);
      });
      const client = await open();
      client.request(...uploadHead(99_999));
      client.send(file("x".repeat(1_000)));
      expect((await client.answer()).body).toBe("full");
    });

    test("a store that does not read its file does not delay the following parts", async () => {
      const { open } = await serving(engine, async (request) => {
        const { fields } = await readMultipart(request, {
          fields: ["title"],
          maxFileBytes: limitBytes,
          store: async () => "not read",
        });
        return answer(JSON.stringify(fields));
      });
      const client = await open();
      const body = file("x".repeat(limitBytes)) + field("title", "T") + end;
      client.request(...uploadHead(body.length));
      client.send(body);
      expect((await client.answer()).body).toBe('{"title":"T"}');
    });

    test("a client that disconnects fails both the upload and the stream of its file", async () => {
      const upload = deferred<string>();
      const stream = deferred<string>();
      const begun = deferred();
      const { open } = await serving(engine, async (request) => {
        await readMultipart(request, {
          fields: [],
          maxFileBytes: limitBytes,
          store: async (stored) => {
            try {
              for await (const _chunk of stored.stream) begun.resolve();
            } catch (error) {
              stream.resolve((error as Error).name);
              throw error;
            }
          },
        }).catch((error: Error) => upload.resolve(error.name));
        return answer("");
      });
      const client = await open();
      client.request(...uploadHead(99_999));
      client.send(file("x".repeat(1_000)));
      await begun.promise;
      client.socket.destroy();
      expect([await upload.promise, await stream.promise]).toEqual(["RequestAborted", "RequestAborted"]);
    });

    test("a slow store slows the upload and still gets all of it", async () => {
      let ahead = 0;
      const { open } = await serving(engine, async (request) => {
        const { stored } = await readMultipart(request, {
          fields: [],
          maxFileBytes: 4_000_000,
          store: async ({ stream }) => {
            let bytes = 0;
            for await (const chunk of stream) {
              bytes += chunk.length;
              ahead = Math.max(ahead, stream.readableLength);
              await pause(1);
            }
            return bytes;
          },
        });
        return answer(String(stored));
      });
      const client = await open();
      const body = file("x".repeat(2_000_000)) + end;
      client.request(...uploadHead(body.length));
      client.send(body);
      expect((await client.answer()).body).toBe("2000000");
      expect(ahead).toBeLessThan(300_000);
    });
  });
};
