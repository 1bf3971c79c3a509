import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { openAsBlob } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DownloadedFile } from "../../hosts/api/endpoint/files.ts";
import {
  BoardroomError,
  type Client,
  createBoardroom,
  type EmbeddedBoardroom,
} from "../../hosts/library/index.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

let database: TestDatabase;
let directory: string;
let embedded: EmbeddedBoardroom;
let service: TestService;
const settings = { SERVICE_LOG_LEVEL: "silent", SERVICE_ATTACHMENT_MAX_BYTES: "4000000" };
const clients: Record<string, Client> = {};

beforeAll(async () => {
  [database, directory] = await Promise.all([createDatabase(), mkdtemp(join(tmpdir(), "library-files-"))]);
  embedded = await createBoardroom({
    dataDir: join(directory, "data"),
    databaseUrl: database.url,
    settings: { SERVICE_SECRETS_MASTER_KEY: "00".repeat(32), ...settings },
  });
  service = await startService({ role: "api", env: settings });
  clients["in this process"] = embedded.client;
  clients["over HTTP"] = service.admin;
});
afterAll(async () => {
  await embedded?.close();
  await service?.stop();
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

const bytesOf = async ({ body }: DownloadedFile) => Buffer.from(await new Response(body).arrayBuffer());

/** Returns the client's error for a call, over either transport. */
const refusalOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => null,
    (refused: unknown) => refused,
  );
  expect(error).toBeInstanceOf(BoardroomError);
  const { status, code, message, details } = error as BoardroomError;
  return { status, code, message, details };
};

describe.each(["in this process", "over HTTP"])("A client %s", (how) => {
  let client: Client;
  let companyId: string;
  let issueId: string;
  beforeAll(async () => {
    client = clients[how]!;
    companyId = (await client.companies.create({ name: "Files" })).id;
    issueId = (await client.issues.create({ companyId, title: "Files" })).id;
  });

  it("attaches a file from the disk and downloads it again, byte for byte", async () => {
    const path = join(directory, "report.bin");
    const content = randomBytes(3_500_000);
    await writeFile(path, content);
    const file = new File([await openAsBlob(path)], "Bericht ü.bin", { type: "application/x-thing" });
    const made = await client.attachments.add({ companyId, issueId, file });
    expect(made).toMatchObject({
      originalFilename: "Bericht ü.bin",
      contentType: "application/x-thing",
      byteSize: content.length,
      sha256: createHash("sha256").update(content).digest("hex"),
    });
    const back = await client.attachments.content({ attachmentId: made.id });
    expect([back.filename, back.contentType, back.byteSize]).toEqual([
      "Bericht ü.bin",
      "application/x-thing",
      content.length,
    ]);
    expect((await bytesOf(back)).equals(content)).toBe(true);
    const left = await client.attachments.content({ attachmentId: made.id, download: true });
    await left.body.cancel();
    expect(await client.attachments.remove({ attachmentId: made.id })).toEqual({ ok: true });
  });

  it("makes an upload once under its Idempotency-Key", async () => {
    const add = (text: string) =>
      client.attachments.add({ companyId, issueId, file: new File([text], "f") }, { idempotencyKey: "once" });
    const first = await add("same");
    expect((await add("same")).id).toBe(first.id);
    expect(await refusalOf(add("other"))).toMatchObject({ status: 409, code: "idempotency_key_reused" });
  });

  it("sets a logo, and shows it", async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
    const { assetId } = await client.assets.addLogo({
      companyId,
      file: new File([svg], "logo.svg", { type: "image/svg+xml" }),
    });
    expect((await client.companies.update({ companyId, logoAssetId: assetId })).logoAssetId).toBe(assetId);
    const shown = await client.assets.content({ assetId });
    expect([shown.contentType, (await bytesOf(shown)).toString()]).toEqual(["image/svg+xml", svg]);
  });

  it("gets each error as status, code and details", async () => {
    const add = (file: unknown, more: object = {}) =>
      refusalOf(client.attachments.add({ companyId, issueId, file, ...more } as never));
    const logo = (content: string, type: string) =>
      refusalOf(client.assets.addLogo({ companyId, file: new File([content], "l", { type }) }));
    expect(await add(new File([randomBytes(4_000_001)], "big"))).toMatchObject({
      status: 413,
      code: "payload_too_large",
      details: { maxBytes: 4_000_000 },
    });
    expect(await add(new File([], "empty"))).toMatchObject({ status: 422, code: "file_empty" });
    expect(await add("no file")).toMatchObject({ status: 400, code: "validation_error" });
    expect(await add(new File(["x"], "f"), { nonsense: "1" })).toMatchObject({ status: 400 });
    expect(await add(new File(["x"], "f"), { issueCommentId: "no id" })).toMatchObject({ status: 400 });
    expect(await logo("<html/>", "text/html")).toMatchObject({ status: 422, code: "logo_type_unsupported" });
    expect(await logo('<svg xmlns="http://www.w3.org/2000/svg" onload="x"/>', "image/svg+xml")).toMatchObject(
      {
        status: 422,
        code: "unsafe_svg",
      },
    );
    const absent = "0192f000-0000-7000-8000-000000000000";
    expect(await refusalOf(client.attachments.content({ attachmentId: absent }))).toMatchObject({
      status: 404,
    });
    const body = "x".repeat(1024 * 1024);
    expect(await refusalOf(client.issues.comment({ issueId, body }))).toMatchObject({
      status: 413,
      code: "payload_too_large",
    });
  });

  it("aborts a call by its signal, and nothing of it is stored", async () => {
    const before = (await client.attachments.list({ issueId })).items.length;
    const stop = new AbortController();
    let begun = () => {};
    const reading = new Promise<void>((resolve) => {
      begun = resolve;
    });
    class Endless extends File {
      override stream() {
        return new ReadableStream({
          pull: async (controller) => {
            begun();
            await new Promise((resolve) => setTimeout(resolve, 20));
            controller.enqueue(new Uint8Array(10_000));
          },
        }) as ReturnType<File["stream"]>;
      }
    }
    const file = new Endless([new Uint8Array(3_000_000)], "slow");
    const call = client.attachments.add({ companyId, issueId, file }, { signal: stop.signal });
    const ended = expect(call).rejects.toThrow("enough");
    await reading;
    stop.abort(new Error("enough"));
    await ended;
    expect((await client.attachments.list({ issueId })).items).toHaveLength(before);
    await expect(
      client.attachments.list({ issueId }, { signal: AbortSignal.abort(new Error("before")) }),
    ).rejects.toThrow("before");
  });

  it("gets the error of a file that cannot be read to its end", async () => {
    const path = join(directory, `vanishing ${how}`);
    await writeFile(path, randomBytes(1_000));
    const file = new File([await openAsBlob(path)], "f");
    await writeFile(path, randomBytes(2_000));
    await expect(client.attachments.add({ companyId, issueId, file })).rejects.toThrow();
    await eventually(
      () => client.system.health(),
      ({ status }) => status === "ok",
    );
  });
});

it("The handler, too, refuses uploads without a file", async () => {
  const server = createServer(embedded.handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { id: companyId } = await embedded.client.companies.create({ name: "Handled" });
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/api/companies/${companyId}/logo`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await readFile(join(directory, "data", "board-token"), "utf8")}`.trim(),
      "content-type": "application/json",
    },
    body: "{}",
  });
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
    415,
    "unsupported_media_type",
  ]);
  server.closeAllConnections();
  server.close();
});
