import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type ClientRequest, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { memoryOf } from "../support/processes.ts";
import { type S3Server, startS3 } from "../support/s3-server.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

const MiB = 1024 * 1024;

let database: TestDatabase;
let s3: S3Server;
let directory: string;

beforeAll(async () => {
  [database, s3, directory] = await Promise.all([
    createDatabase(),
    startS3("files"),
    mkdtemp(join(tmpdir(), "boardroom-memory-")),
  ]);
});
afterAll(async () => {
  await s3?.stop();
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

const residentMiB = (pid: number): number => memoryOf(pid).rss;

const boundary = "boundary-of-the-test";
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;

interface Sending {
  readonly request: ClientRequest;
  /** Sends that many more bytes, as fast as the service reads. */
  send(bytes: number): Promise<void>;
  /** The status and the body of the answer. */
  end(): Promise<{ status: number; body: string }>;
}

/** An upload whose pace the test sets. */
const upload = (service: ServiceProgram, token: string, path: string, size: number): Sending => {
  const sent = request(service.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": head.length + size + tail.length,
    },
  });
  const answered = new Promise<{ status: number; body: string }>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
    });
  });
  answered.catch(() => {});
  sent.write(head);
  return {
    request: sent,
    send: async (bytes) => {
      for (let left = bytes; left > 0; left -= 256 * 1024) {
        const piece = randomBytes(Math.min(left, 256 * 1024));
        await new Promise<void>((resolve) => sent.write(piece, () => resolve()));
      }
    },
    end: () => {
      sent.end(tail);
      return answered;
    },
  };
};

/** Reads a part of a file and then waits; the connection stays open until the test ends it. */
const sip = (service: ServiceProgram, token: string, path: string): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const asked = request(
      service.url + path,
      { headers: { authorization: `Bearer ${token}` }, agent: false },
      (answer) => {
        answer.once("data", () => {
          answer.pause();
          resolve(() => asked.destroy());
        });
      },
    );
    asked.on("error", reject);
    asked.end();
  });

/** Waits until a service that answers other requests reads no more of any file: those who receive them have stopped. */
const allWait = async ({ child, url }: ServiceProgram): Promise<void> => {
  let before = 0;
  await eventually(
    async () => {
      expect((await fetch(`${url}/api/health`)).status).toBe(200);
      const [, read] = /^rchar: (\d+)$/m.exec(await readFile(`/proc/${child.pid}/io`, "utf8"))!;
      const more = Number(read) - before;
      before = Number(read);
      return more;
    },
    (more) => more < 64 * 1024,
  );
};

/**
 * The upload library for S3 holds a part of 5 MiB while it sends it, collects the next one, and joins it by a copy, so
 * the files are larger there.
 */
const stores = [
  { kind: "disk", sizeMiB: 10, many: 16, perUploadMiB: 4, highest: 0.6 },
  { kind: "s3", sizeMiB: 32, many: 12, perUploadMiB: 22, highest: 0.85 },
] as const;

describe.each(stores)(
  "Files of $sizeMiB MiB, $many of them at once ($kind)",
  ({ kind, sizeMiB, many, perUploadMiB, highest: highestShare }) => {
    const size = sizeMiB * MiB;
    let service: ServiceProgram;
    let sql: postgres.Sql;
    let token: string;
    let companyId: string;
    let issueId: string;
    let path: string;

    beforeAll(async () => {
      sql = postgres(database.url, { max: 1 });
      service = await serveProgram(
        join(directory, kind),
        {
          DATABASE_URL: database.url,
          SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
          SERVICE_ATTACHMENT_MAX_BYTES: String(size),
          // Garbage must not count as held memory.
          NODE_OPTIONS: "--max-semi-space-size=1",
          ...(kind === "s3"
            ? {
                SERVICE_BLOB_STORE: "s3",
                SERVICE_S3_BUCKET: "files",
                SERVICE_S3_ENDPOINT: s3.url,
                AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
                AWS_SECRET_ACCESS_KEY: "not a secret",
              }
            : {}),
        },
        ["--role", "api"],
      );
      token = await service.token();
      const board = await service.board();
      companyId = (await board.companies.create({ name: `Memory ${kind}` })).id;
      issueId = (await board.issues.create({ companyId, title: "Large files" })).id;
      path = `/api/companies/${companyId}/issues/${issueId}/attachments`;
      // Everything is loaded by now.
      const first = upload(service, token, path, size);
      await first.send(size);
      expect((await first.end()).status).toBe(201);
    });
    afterAll(async () => {
      await service?.stop();
      await sql?.end();
    });

    const bufferedMiB = many * perUploadMiB;
    const wholeMiB = many * sizeMiB;
    const stored = () =>
      kind === "s3"
        ? s3.objects.size
        : readdirSync(join(directory, kind, "blobs", "files"), {
            recursive: true,
            withFileTypes: true,
          }).filter((entry) => entry.isFile()).length;

    it(`are received in bounded memory: less than ${bufferedMiB} of ${wholeMiB} MiB`, async () => {
      const before = residentMiB(service.child.pid!);
      const uploads = Array.from({ length: many }, () => upload(service, token, path, size));
      let highest = 0;
      const note = () => {
        highest = Math.max(highest, residentMiB(service.child.pid!));
      };
      const watch = setInterval(note, 50);
      // All bytes but the last have been sent, and then they wait: a service that buffers files holds them now.
      await Promise.all(uploads.map(({ send }) => send(size - 1)));
      note();
      const waiting = residentMiB(service.child.pid!);
      await Promise.all(uploads.map(({ send }) => send(1)));
      const answers = await Promise.all(uploads.map(({ end }) => end()));
      clearInterval(watch);
      process.stdout.write(
        `${kind}: ${many} uploads of ${sizeMiB} MiB: ${before.toFixed(0)} MiB before, ${waiting.toFixed(0)} while all wait, ${highest.toFixed(0)} at most\n`,
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
      expect(answers.map(({ body }) => JSON.parse(body).byteSize)).toEqual(answers.map(() => size));
      expect(waiting - before).toBeLessThan(bufferedMiB);
      expect(highest - before).toBeLessThan(wholeMiB * highestShare);
    });

    it("are sent in bounded memory, to readers that stop reading", async () => {
      const board = await service.board();
      const { items } = await board.attachments.list({ issueId });
      const before = residentMiB(service.child.pid!);
      const leave = await Promise.all(
        Array.from({ length: many }, (_, n) => sip(service, token, items[n % items.length]!.contentPath)),
      );
      await allWait(service);
      const waiting = residentMiB(service.child.pid!);
      for (const go of leave) go();
      process.stdout.write(
        `${kind}: ${many} stopped downloads: ${before.toFixed(0)} MiB before, ${waiting.toFixed(0)} while all wait\n`,
      );
      expect(waiting - before).toBeLessThan(bufferedMiB);
    });

    it("leave nothing if the sender disconnects", async () => {
      const [objects, rows] = [stored(), (await sql`select from assets`).length];
      const uploads = Array.from({ length: many }, () => upload(service, token, path, size));
      await Promise.all(uploads.map(({ send }) => send(6 * MiB)));
      for (const { request } of uploads) {
        request.on("error", () => {});
        request.destroy();
      }
      await eventually(
        async () => [stored(), s3.uploads.size],
        ([files, parts]) => files === objects && parts === 0,
      );
      expect((await sql`select from assets`).length).toBe(rows);
      // Recorded as unreferenced until the sweep, which finds nothing to delete.
      expect(await sql`select from loose_blobs where due_at > now() + interval '61 minutes'`).toHaveLength(0);
    });
  },
);
