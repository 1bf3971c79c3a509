import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { hurriedService } from "../support/hurried-service.ts";
import { type S3Server, startS3 } from "../support/s3-server.ts";

let database: TestDatabase;
let s3: S3Server;
let directory: string;

beforeAll(async () => {
  [database, s3, directory] = await Promise.all([
    createDatabase(),
    startS3("files"),
    mkdtemp(join(tmpdir(), "boardroom-sweep-")),
  ]);
  process.env.AWS_ACCESS_KEY_ID = "AKIDEXAMPLE";
  process.env.AWS_SECRET_ACCESS_KEY = "not a secret";
});
afterAll(async () => {
  await s3?.stop();
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

const everyMs = 60_000;

describe("A running service", () => {
  it.each(["disk", "s3"])("deletes unreferenced files by itself after their time (%s)", async (kind) => {
    const dataDir = join(directory, kind);
    const service = await hurriedService(
      { dataDir, databaseUrl: database.url, everyMs },
      kind === "s3"
        ? { SERVICE_BLOB_STORE: "s3", SERVICE_S3_BUCKET: "files", SERVICE_S3_ENDPOINT: s3.url }
        : {},
    );
    try {
      const { client, room } = service;
      const isThere = (key: string) =>
        kind === "s3" ? s3.objects.has(key) : existsSync(join(dataDir, "blobs", key));
      const { id: companyId } = await client.companies.create({ name: "Tidy" });
      const { id: issueId } = await client.issues.create({ companyId, title: "Files" });
      const add = (text: string) =>
        client.attachments.add({ companyId, issueId, file: new File([text], "f.txt") });
      const [attached, removed] = [await add("kept"), await add("removed")];
      // An unused logo stays an asset; an upload whose request died is unreferenced.
      const logo = await client.assets.addLogo({
        companyId,
        file: new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], "l.svg", { type: "image/svg+xml" }),
      });
      const orphan = await Effect.runPromise(
        room.app.assets.receive({
          filename: null,
          contentType: "text/plain",
          bytes: (async function* () {
            yield Buffer.from("nobody's");
          })(),
        }),
      );

      await client.attachments.remove({ attachmentId: removed.id });
      await eventually(
        async () => isThere(removed.objectKey),
        (there) => !there,
      );
      const rounds = service.rounds();
      await eventually(
        async () => service.rounds(),
        (count) => count > rounds + 1,
      );
      expect(isThere(orphan.blobKey)).toBe(true);

      service.advance(61 * 60);
      await eventually(
        async () => isThere(orphan.blobKey),
        (there) => !there,
      );
      expect([isThere(attached.objectKey), isThere(logo.objectKey)]).toEqual([true, true]);
      const file = await client.attachments.content({ attachmentId: attached.id });
      expect(await new Response(file.body).text()).toBe("kept");
    } finally {
      await service.close();
    }
  });
});
