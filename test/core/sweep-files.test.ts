import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diskBlobStore } from "../../adapters-infra/local/disk-blob-store.ts";
import { uuidIds } from "../../adapters-infra/local/uuid-ids.ts";
import { backupLock } from "../../adapters-infra/postgres/backup-lock.ts";
import { s3BlobStore } from "../../adapters-infra/s3/blob-store.ts";
import type { ReceivedFile } from "../../core/model/assets/asset.ts";
import { newAsset } from "../../core/model/assets/new-asset.ts";
import type { AssetId, CompanyId } from "../../core/model/shared/ids.ts";
import { addSeconds } from "../../core/model/shared/instant.ts";
import { type Assets, assets } from "../../core/work/assets/index.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import { aCompany, newId, openTestStorage, type TestStorage } from "../support/builders.ts";
import { waitingForLock } from "../support/lock-waits.ts";
import { now as start } from "../support/nouns.ts";
import { type S3Server, startS3 } from "../support/s3-server.ts";

let storage: TestStorage;
let folder: string;
let s3: S3Server;
let companyId: CompanyId;
const stores: Record<string, BlobStore> = {};
/** The current time for sweeps and uploads of these tests. */
let now = start;

beforeAll(async () => {
  storage = await openTestStorage({ max: 20 });
  folder = await mkdtemp(join(tmpdir(), "boardroom-sweep-"));
  s3 = await startS3("files");
  process.env.AWS_ACCESS_KEY_ID = "AKIDEXAMPLE";
  process.env.AWS_SECRET_ACCESS_KEY = "not a secret";
  stores.disk = diskBlobStore(folder);
  stores.s3 = s3BlobStore({ bucket: "files", region: "eu-central-1", endpoint: s3.url, prefix: "" });
  companyId = (await aCompany(storage)).id;
});
afterAll(async () => {
  await storage?.close();
  await s3?.stop();
  await rm(folder, { recursive: true, force: true });
});

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(effect);
const later = (seconds: number) => {
  now = addSeconds(now, seconds);
};
const aLongTime = 2 * 60 * 60;

describe.each(["disk", "s3"])("Unreferenced files (%s)", (name) => {
  let files: Assets;
  let blobs: BlobStore;
  beforeAll(() => {
    blobs = stores[name]!;
    files = assets(
      { transactor: storage.transactor, clock: { now: () => now }, ids: uuidIds },
      blobs,
      () => null,
    );
  });

  const receive = (content: Uint8Array = randomBytes(1_000)) =>
    run(
      files.receive({
        filename: "f",
        contentType: "text/plain",
        bytes: (async function* () {
          yield content;
        })(),
      }),
    );
  const isThere = async ({ blobKey }: Pick<ReceivedFile, "blobKey">) =>
    (await run(blobs.get(blobKey))) !== null;
  const isLoose = async ({ blobKey }: Pick<ReceivedFile, "blobKey">) =>
    (await storage.sql`select from loose_blobs where blob_key = ${blobKey}`).length > 0;
  /** Refers to the file, as attaching does; `meanwhile` runs before the commit. */
  const use = (file: ReceivedFile, meanwhile: () => Promise<void> = async () => {}) =>
    storage.run((stores) =>
      Effect.gen(function* () {
        yield* stores.files.takeIntoUse(file.blobKey);
        yield* stores.files.insertAsset(
          newAsset(file, { id: newId<AssetId>(), companyId, purpose: "attachment" }, { kind: "system" }, now),
        );
        yield* Effect.promise(meanwhile);
      }),
    );

  it("are kept for as long as an upload may take, then deleted", async () => {
    const file = await receive();
    later(59 * 60);
    await run(files.sweep());
    expect([await isThere(file), await isLoose(file)]).toEqual([true, true]);
    later(2 * 60);
    await run(files.sweep());
    expect([await isThere(file), await isLoose(file)]).toEqual([false, false]);
  });

  it("are all deleted, however many exist", async () => {
    const many = await Promise.all(Array.from({ length: 120 }, () => receive()));
    later(aLongTime);
    await run(files.sweep());
    expect(await Promise.all(many.map(isThere))).not.toContain(true);
    expect(await storage.sql`select from loose_blobs`).toHaveLength(0);
  });

  it("stay while a transaction is about to refer to them, and after it", async () => {
    const file = await receive();
    later(aLongTime);
    await use(file, async () => {
      await run(files.sweep());
      expect(await isThere(file)).toBe(true);
    });
    await run(files.sweep());
    expect([await isThere(file), await isLoose(file)]).toEqual([true, false]);
  });

  it("are deleted if that transaction rolls back", async () => {
    const file = await receive();
    later(aLongTime);
    const undone = use(file, async () => {
      await run(files.sweep());
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await isThere(file)).toBe(true);
    await run(files.sweep());
    expect(await isThere(file)).toBe(false);
  });

  it("are not discarded before it is known whether a reference exists", async () => {
    const file = await receive();
    let discarded: Promise<void> | undefined;
    await use(file, async () => {
      discarded = run(files.discard(file));
      // It waits for the lock on the row that is about to be referenced.
      await waitingForLock(storage.sql, 1);
    });
    await discarded;
    expect(await isThere(file)).toBe(true);
  });

  it("stay while a backup reads those of its snapshot, then are deleted", async () => {
    const [due, refused] = [await receive(), await receive()];
    later(aLongTime);
    await storage.sql.begin(async (backup) => {
      await backup`select pg_advisory_xact_lock(${backupLock})`;
      await run(files.sweep());
      await run(files.discard(refused));
      expect([await isThere(due), await isThere(refused)]).toEqual([true, true]);
    });
    await run(files.sweep());
    expect([await isThere(due), await isThere(refused)]).toEqual([false, false]);
  });

  it("cannot be referenced after they are discarded, even if their deletion fails", async () => {
    const file = await receive();
    later(aLongTime);
    if (name === "s3") s3.outage("gone");
    const broken: BlobStore =
      name === "s3" ? blobs : { ...blobs, delete: () => Effect.die("the power went") };
    const sweep = assets(
      { transactor: storage.transactor, clock: { now: () => now }, ids: uuidIds },
      broken,
      () => null,
    ).sweep;
    await expect(run(sweep())).rejects.toBeTruthy();
    s3.outage(null);
    await expect(use(file)).rejects.toThrow("was discarded");
    expect(await storage.sql`select from assets where blob_key = ${file.blobKey}`).toHaveLength(0);
    await run(files.sweep());
    expect([await isThere(file), await isLoose(file)]).toEqual([false, false]);
  });

  it("exist for every reference, however uploads, sweeps and discards interleave", async () => {
    const due = await Promise.all(Array.from({ length: 60 }, () => receive()));
    later(aLongTime);
    const outcomes = await Promise.all([
      ...due.map((file, n) =>
        use(file, () => new Promise((resolve) => setTimeout(resolve, n % 7))).then(
          () => ({ file, used: true }),
          () => ({ file, used: false }),
        ),
      ),
      ...due.filter((_, n) => n % 3 === 0).map((file) => run(files.discard(file))),
      ...Array.from({ length: 6 }, () => run(files.sweep())),
    ]);
    await run(files.sweep());
    for (const outcome of outcomes)
      if (outcome !== undefined) expect(await isThere(outcome.file)).toBe(outcome.used);
    const rows = await storage.sql<{ blobKey: string }[]>`
      select blob_key as "blobKey" from assets where blob_key = any(${due.map(({ blobKey }) => blobKey)})
    `;
    expect(rows).toHaveLength(outcomes.filter((outcome) => outcome?.used).length);
  });
});
