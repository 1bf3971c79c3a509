import { createHash, randomBytes, randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diskBlobStore } from "../../adapters-infra/local/disk-blob-store.ts";
import { s3BlobStore } from "../../adapters-infra/s3/blob-store.ts";
import { probeBucket } from "../../adapters-infra/s3/probe-bucket.ts";
import { type BlobStore, BlobsUnavailable } from "../../ports/blob-store.ts";
import { type Habit, type S3Server, startS3 } from "../support/s3-server.ts";

let folder: string;
let s3: S3Server;
const stores: Record<string, BlobStore> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "boardroom-blobs-"));
  s3 = await startS3("files");
  process.env.AWS_ACCESS_KEY_ID = "AKIDEXAMPLE";
  process.env.AWS_SECRET_ACCESS_KEY = "not a secret";
  stores.disk = diskBlobStore(folder);
  stores.s3 = s3BlobStore({ bucket: "files", region: "eu-central-1", endpoint: s3.url, prefix: "here/" });
});
afterAll(async () => {
  await s3?.stop();
  await rm(folder, { recursive: true, force: true });
});

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect);

async function* inPieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

const collect = async (stream: AsyncIterable<Uint8Array> | null): Promise<Buffer | null> => {
  if (stream === null) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
};

describe.each(["disk", "s3"])("A blob store (%s)", (name) => {
  const store = () => stores[name]!;
  const aKey = () => `files/2026/${randomUUID()}`;

  it.each([0, 1, 5_000, 5 * 1024 * 1024, 5 * 1024 * 1024 + 1, 12_345_678])(
    "returns what it stored as a stream, %i bytes of it",
    async (size) => {
      const [key, bytes] = [aKey(), randomBytes(size)];
      expect(await run(store().putStream(key, inPieces(bytes)))).toEqual({
        byteSize: size,
        sha256: createHash("sha256").update(bytes).digest("hex"),
      });
      expect(bytes.equals((await collect(await run(store().getStream(key))))!)).toBe(true);
      expect(bytes.equals((await run(store().get(key)))!)).toBe(true);
    },
  );

  it("returns a part of it", async () => {
    const key = aKey();
    await run(store().put(key, Buffer.from("0123456789")));
    const text = async (start: number, end: number) => [
      (await run(store().get(key, { start, end })))?.toString(),
      (await collect(await run(store().getStream(key, { start, end }))))?.toString(),
    ];
    expect(await text(2, 5)).toEqual(["234", "234"]);
    expect(await text(8, 10)).toEqual(["89", "89"]);
  });

  it("holds nothing under an unknown or deleted key", async () => {
    const key = aKey();
    expect(await run(store().get(key))).toBeNull();
    expect(await run(store().getStream(key))).toBeNull();
    await run(store().put(key, Buffer.from("x")));
    await run(store().delete(key));
    await run(store().delete(key));
    expect(await run(store().get(key))).toBeNull();
  });

  it("replaces the blob under the key", async () => {
    const key = aKey();
    await run(store().put(key, Buffer.from("old")));
    await run(store().putStream(key, inPieces(Buffer.from("new"))));
    expect((await run(store().get(key)))?.toString()).toBe("new");
  });

  it.each([1_000, 7_000_000])("stores nothing of a source that fails after %i bytes", async (size) => {
    const key = aKey();
    async function* broken() {
      yield* inPieces(randomBytes(size));
      throw new Error("gone");
    }
    await expect(run(store().putStream(key, broken()))).rejects.toThrow("gone");
    expect(await run(store().get(key))).toBeNull();
    expect(s3.uploads.size).toBe(0);
    expect(
      readdirSync(folder, { recursive: true }).filter((each) => String(each).endsWith(".draft")),
    ).toEqual([]);
  });
});

describe("Blobs on the disk", () => {
  it.each(["../outside", "a/../../b", "/etc/passwd", "a//b", "", ".hidden", "a.draft"])(
    "are never stored under %j",
    async (key) => {
      await expect(run(stores.disk!.put(key, Buffer.from("x")))).rejects.toThrow("not a blob key");
    },
  );

  it("lose the drafts of dead uploads, and nothing else", async () => {
    await run(stores.disk!.put("kept", Buffer.from("x")));
    const [old, fresh] = [join(folder, "a.1.draft"), join(folder, "b.2.draft")];
    await writeFile(old, "half");
    await writeFile(fresh, "half");
    await utimes(old, new Date("2026-01-01"), new Date("2026-01-01"));
    await run(stores.disk!.tidy("2026-02-01T00:00:00.000Z"));
    expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
    expect((await run(stores.disk!.get("kept")))?.toString()).toBe("x");
  });

  it("report to the operator when the system refuses to store", async () => {
    const reported: unknown[] = [];
    await writeFile(join(folder, "in-the-way"), "x");
    const astray = diskBlobStore(join(folder, "in-the-way"), (error) =>
      reported.push((error as NodeJS.ErrnoException).code),
    );
    await expect(run(astray.put("x", Buffer.from("x")))).rejects.toBeInstanceOf(BlobsUnavailable);
    expect(reported).toEqual(["EEXIST"]);
  });
});

describe("Blobs in a bucket", () => {
  it("are uploaded in parts, with one part in memory at a time", async () => {
    await run(stores.s3!.putStream("big", inPieces(randomBytes(16_000_000))));
    expect(s3.largestBody()).toBeLessThan(6 * 1024 * 1024);
    expect(s3.objects.get("here/big")?.byteLength).toBe(16_000_000);
  });

  it("that end with a part are whole, and an empty source starts no part", async () => {
    const bytes = randomBytes(10 * 1024 * 1024);
    await run(stores.s3!.putStream("two", inPieces(bytes, 700_001)));
    expect(s3.objects.get("here/two")?.equals(bytes)).toBe(true);
    await run(stores.s3!.putStream("none", inPieces(Buffer.alloc(0))));
    expect(s3.objects.get("here/none")?.byteLength).toBe(0);
    expect(s3.uploads.size).toBe(0);
  });

  it.each(["busy", "gone"] as const)(
    "are unavailable while S3 is %s, and available afterwards",
    async (how) => {
      const [key, bytes] = [randomUUID(), randomBytes(6_000_000)];
      await run(stores.s3!.put(key, Buffer.from("kept")));
      s3.outage(how);
      const store = stores.s3!;
      for (const refused of [
        store.put(randomUUID(), bytes),
        store.putStream(randomUUID(), inPieces(bytes)),
        store.get(key),
        store.getStream(key),
        store.delete(key),
        store.tidy("2026-02-01T00:00:00.000Z"),
      ] as Effect.Effect<unknown, unknown>[])
        await expect(run(refused)).rejects.toBeInstanceOf(BlobsUnavailable);
      s3.outage(null);
      expect((await run(store.get(key)))?.toString()).toBe("kept");
      expect(s3.uploads.size).toBe(0);
    },
  );

  it("keep nothing of an upload that S3 breaks off", async () => {
    const key = randomUUID();
    async function* until() {
      yield* inPieces(randomBytes(6_000_000));
      s3.outage("gone");
      yield* inPieces(randomBytes(6_000_000));
    }
    await expect(run(stores.s3!.putStream(key, until()))).rejects.toBeInstanceOf(BlobsUnavailable);
    s3.outage(null);
    expect(s3.objects.has(`here/${key}`)).toBe(false);
    // A later cleanup deletes the remains.
    await run(stores.s3!.tidy(new Date(Date.now() + 1_000).toISOString()));
    expect(s3.uploads.size).toBe(0);
  });

  it("fail with a wrong bucket, and the operator learns why", async () => {
    const reported: unknown[] = [];
    const options = { bucket: "others", region: "eu-central-1", endpoint: s3.url, prefix: "" };
    const astray = s3BlobStore(options, (error) => reported.push((error as Error).name));
    await expect(run(astray.put("x", Buffer.from("x")))).rejects.toBeInstanceOf(BlobsUnavailable);
    expect(reported).toEqual(["NoSuchBucket"]);
  });

  it("are uploaded although the service is busy now and then", async () => {
    s3.failNext(1);
    await run(stores.s3!.put("busy", Buffer.from("x")));
    expect(s3.objects.get("here/busy")?.toString()).toBe("x");
  });

  it("are read although S3 closes many idle connections at the moment at which they are used", async () => {
    const keys = Array.from({ length: 120 }, () => randomUUID());
    await Promise.all(keys.map((key) => run(stores.s3!.put(key, Buffer.from(key)))));
    s3.closeIdle();
    const read = await Promise.all(keys.map((key) => run(stores.s3!.get(key))));
    expect(read.map((bytes) => bytes?.toString())).toEqual(keys);
  });

  it("lose the parts of dead uploads", async () => {
    s3.uploads.set("old", { key: "here/x", initiated: new Date("2026-01-01"), parts: new Map() });
    s3.uploads.set("fresh", { key: "here/y", initiated: new Date(), parts: new Map() });
    await run(stores.s3!.tidy("2026-02-01T00:00:00.000Z"));
    expect([...s3.uploads.keys()]).toEqual(["fresh"]);
    s3.uploads.clear();
  });
});

describe("A store that is compatible with S3 in part", () => {
  const options = (more = {}) => ({
    bucket: "files",
    region: "eu-central-1",
    endpoint: s3.url,
    prefix: "probed/",
    ...more,
  });
  const under = async <A>(habit: Habit | null, work: () => Promise<A>): Promise<A> => {
    s3.habit(habit);
    try {
      return await work();
    } finally {
      s3.habit(null);
    }
  };

  it.each<Habit | null>([null, "no checksums", "no list of uploads"])("works with %s", async (habit) => {
    await under(habit, async () => {
      expect(await probeBucket(options())).toBeNull();
      const store = s3BlobStore(options());
      for (const size of [10, 5 * 1024 * 1024 + 1]) {
        const bytes = randomBytes(size);
        await run(store.putStream("a", inPieces(bytes)));
        expect(bytes.equals((await run(store.get("a")))!)).toBe(true);
      }
      await run(store.tidy(new Date().toISOString()));
    });
    expect([...s3.objects.keys()].filter((key) => key.includes("probe/"))).toEqual([]);
    expect(s3.uploads.size).toBe(0);
  });

  it.each<[Habit, string]>([
    [
      "no ranges",
      "ignores Range: it answers with the whole object. The service needs a store that can do this.",
    ],
    [
      "no uploads in parts",
      "refuses an upload in parts: NotImplemented (501). The service needs a store that can do this.",
    ],
    [
      "read only",
      "refuses storing an object: AccessDenied (403). Check SERVICE_S3_BUCKET and its credentials.",
    ],
  ])("is named where it has %s", async (habit, message) => {
    expect(await under(habit, () => probeBucket(options()))).toEqual({
      lasts: true,
      message: expect.stringContaining(message),
    });
  });

  it("is named where the bucket is missing, and may come back where it does not answer", async () => {
    expect(await probeBucket(options({ bucket: "other" }))).toEqual({
      lasts: true,
      message: expect.stringContaining("The bucket other at 127.0.0.1"),
    });
    s3.outage("gone");
    try {
      expect(await probeBucket(options())).toMatchObject({ lasts: false });
    } finally {
      s3.outage(null);
    }
  });
});
