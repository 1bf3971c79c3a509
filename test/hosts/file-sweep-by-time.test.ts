import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addSeconds } from "../../core/shared/instant.ts";
import { boardroom } from "../../hosts/composition/app.ts";
import { readConfig } from "../../hosts/composition/config.ts";
import { openLog } from "../../hosts/composition/log.ts";
import { openScope } from "../../hosts/composition/open-scope.ts";
import { openapi } from "../../hosts/http/openapi.ts";
import { server } from "../../hosts/http/server.ts";
import { inProcessTransport } from "../../hosts/library/in-process-transport.ts";
import { openClient } from "../../hosts/library/open-client.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { type S3Server, startS3 } from "../support/s3-server.ts";
import { eventually } from "../support/service.ts";

let database: TestDatabase;
let s3: S3Server;
let place: string;

beforeAll(async () => {
  [database, s3, place] = await Promise.all([
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
  await rm(place, { recursive: true, force: true });
});

/** A service with short intervals, whose clock the test moves. */
const hurried = async (dataDir: string, env: Readonly<Record<string, string>>) => {
  let aheadSec = 0;
  const now = () => addSeconds(new Date().toISOString(), aheadSec);
  const config = readConfig({
    PATH: process.env.PATH,
    SERVICE_DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
    SERVICE_DATABASE_POOL: "4",
    SERVICE_LOG_LEVEL: "silent",
    ...env,
  });
  const pauses: number[] = [];
  const { value: room, close } = await openScope(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock;
      const opened = boardroom(config, openLog("silent"), openapi, { clock: { now } }).pipe(
        Effect.tap((room) => room.begin("http://127.0.0.1:9")),
      );
      const hurriedClock: Clock.Clock = Object.assign(Object.create(clock), {
        sleep: (pause: Duration.Duration) => {
          const millis = Duration.toMillis(pause);
          pauses.push(millis);
          return clock.sleep(millis === 60_000 ? Duration.millis(200) : pause);
        },
      });
      return yield* Effect.provideService(opened, Clock.Clock, hurriedClock);
    }),
  );
  const handle = server(room.app, {
    stopping: new AbortController().signal,
    allowedHostnames: new Set(),
    metricsToken: null,
    onDefect: () => {},
  });
  const token = (await readFile(room.boardTokenPath, "utf8")).trim();
  return {
    client: openClient(inProcessTransport(handle, token)),
    room,
    close,
    rounds: () => pauses.filter((millis) => millis === 60_000).length,
    advance: (seconds: number) => {
      aheadSec += seconds;
    },
  };
};

describe("A running service", () => {
  it.each(["disk", "s3"])("deletes unreferenced files by itself after their time (%s)", async (kind) => {
    const dataDir = join(place, kind);
    const service = await hurried(
      dataDir,
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
      const [kept, removed] = [await add("kept"), await add("removed")];
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
      expect([isThere(kept.objectKey), isThere(logo.objectKey)]).toEqual([true, true]);
      const file = await client.attachments.content({ attachmentId: kept.id });
      expect(await new Response(file.body).text()).toBe("kept");
    } finally {
      await service.close();
    }
  });
});
