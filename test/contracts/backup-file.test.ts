import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ArchiveEntry, readArchive } from "../../adapters-infra/backup/archive-reader.ts";
import { archiveWriter } from "../../adapters-infra/backup/archive-writer.ts";
import { BackupUnusable } from "../../adapters-infra/backup/backup-unusable.ts";
import { readFramed, writeFramed } from "../../adapters-infra/backup/framed-files.ts";
import { partWriter } from "../../adapters-infra/backup/part-writer.ts";
import { seal, unseal, unwrap, wrap } from "../../adapters-infra/backup/sealing.ts";

const at = new Date("2026-11-23T00:00:00Z");
/** The least cost that a reader accepts: a property opens many files. */
const cost = 14;

const collect = async (source: AsyncIterable<Buffer>): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
};
async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}
const archiveOf = async (entries: readonly (readonly [string, Buffer])[]): Promise<Buffer> => {
  const archive = archiveWriter(null, at);
  const output = collect(archive.output);
  for (const [name, data] of entries) await archive.add(name, data);
  await archive.end();
  return output;
};
const read = async (file: Buffer, passphrase: string | null = null, size = 1_000) => {
  const entries: ArchiveEntry[] = [];
  for await (const entry of readArchive(inPieces(file, size), passphrase)) entries.push(entry);
  return entries.map(({ name, data }) => [name, Buffer.from(data).toString("hex")]);
};

const Entries = fc.array(
  fc.tuple(fc.stringMatching(/^[a-z]{1,8}\/[0-9]{6}$/), fc.uint8Array({ maxLength: 3_000 }).map(Buffer.from)),
  { maxLength: 5 },
);

describe("The file of a backup", () => {
  it("whose place fails before it reads ends no service: the error stays with the writer", async () => {
    const archive = archiveWriter(null, at);
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.prependListener("uncaughtException", note);
    try {
      archive.fail(new Error("the disk is full"));
      await expect(archive.add("a", Buffer.from("b"))).rejects.toThrow();
      await new Promise((resolve) => setImmediate(resolve));
      expect(uncaught).toEqual([]);
    } finally {
      process.removeListener("uncaughtException", note);
    }
  });

  it("returns what was put in, however it arrives", async () => {
    await fc.assert(
      fc.asyncProperty(Entries, fc.integer({ min: 1, max: 4_000 }), async (entries, size) => {
        const file = await archiveOf(entries);
        expect(await read(file, null, size)).toEqual(
          entries.map(([name, data]) => [name, data.toString("hex")]),
        );
      }),
      { numRuns: 40 },
    );
  });

  it("is a tar archive in gzip for every other program", async () => {
    const file = await archiveOf([["tables/a", Buffer.from("hello\n")]]);
    const tar = gunzipSync(file);
    expect(tar.toString("latin1", 0, 8)).toBe("tables/a");
    expect(tar.toString("latin1", 257, 262)).toBe("ustar");
    expect(tar.toString("latin1", 512, 518)).toBe("hello\n");
  });

  it("is refused with any byte changed", async () => {
    const file = await archiveOf([
      ["tables/a", Buffer.from("one row\n".repeat(50))],
      ["manifest.json", Buffer.from("{}\n")],
    ]);
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }), async (where, bits) => {
        const other = Buffer.from(file);
        other[where] = other[where]! ^ bits;
        await expect(read(other)).rejects.toThrow(BackupUnusable);
      }),
      { numRuns: 300 },
    );
  });

  it("is refused wherever it is cut off, and with bytes behind its end", async () => {
    const file = await archiveOf([["tables/a", Buffer.from("one row\n".repeat(50))]]);
    for (let length = 0; length < file.length; length += 3)
      await expect(read(file.subarray(0, length))).rejects.toThrow(BackupUnusable);
    await expect(read(Buffer.concat([file, Buffer.alloc(1)]))).rejects.toThrow(BackupUnusable);
    await expect(read(Buffer.concat([file, file]))).rejects.toThrow(BackupUnusable);
  });
});

describe("An encrypted backup", () => {
  const passphrase = "correct horse battery";

  it("opens with its passphrase alone, and shows nothing of its contents", async () => {
    const clear = Buffer.from("a secret of the company ".repeat(20_000));
    const sealed = await collect(seal(inPieces(clear, 10_000), passphrase, cost));
    expect(sealed.includes("secret of the company")).toBe(false);
    expect((await collect(unseal(inPieces(sealed, 70_000), passphrase))).equals(clear)).toBe(true);
    await expect(collect(unseal(inPieces(sealed, 70_000), "another passphrase"))).rejects.toThrow(
      /passphrase does not open/,
    );
    await expect(read(sealed)).rejects.toThrow(/is encrypted/);
  });

  it("is refused with any byte changed, and wherever it is cut off", async () => {
    // Two whole frames and a part of one.
    const clear = Buffer.alloc(2 * 256 * 1024 + 100, "x");
    const sealed = await collect(seal(inPieces(clear, 100_000), passphrase, cost));
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (where, bits) => {
        const other = Buffer.from(sealed);
        other[where] = other[where]! ^ bits;
        await expect(collect(unseal(inPieces(other, 100_000), passphrase))).rejects.toThrow(BackupUnusable);
        await expect(
          collect(unseal(inPieces(sealed.subarray(0, where), 100_000), passphrase)),
        ).rejects.toThrow(BackupUnusable);
      }),
      {
        numRuns: 12,
        examples: [
          [25, 255],
          [sealed.length - 1, 1],
          [300, 1],
        ],
      },
    );
  });

  it("is refused where whole frames at its end are missing", async () => {
    const clear = Buffer.alloc(2 * 256 * 1024 + 100, "x");
    const sealed = await collect(seal(inPieces(clear, 100_000), passphrase, cost));
    const frame = 256 * 1024 + 16;
    const head = sealed.length - 2 * frame - 116;
    for (const end of [head, head + frame, head + 2 * frame])
      await expect(collect(unseal(inPieces(sealed.subarray(0, end), 100_000), passphrase))).rejects.toThrow(
        BackupUnusable,
      );
  });

  it("wraps a key under a passphrase", async () => {
    const wrapped = await wrap(Buffer.from("a key"), passphrase, cost);
    expect((await unwrap(wrapped, passphrase)).toString()).toBe("a key");
    await expect(unwrap(wrapped, "another passphrase")).rejects.toThrow(/passphrase does not open/);
  });
});

describe("Files in the parts of a backup", () => {
  it("keep their names, bytes and modes, whatever their length", async () => {
    const File = fc.record({ name: fc.string({ minLength: 1 }), data: fc.uint8Array({ maxLength: 5_000 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(File, { selector: ({ name }) => name, maxLength: 6 }),
        async (files) => {
          const written: Buffer[] = [];
          const parts = partWriter(
            {
              add: async (name, data) => {
                written.push(data);
                return { name, bytes: data.length, sha256: "" };
              },
            },
            "files",
          );
          for (const { name, data } of files)
            await writeFramed(parts, name, inPieces(Buffer.from(data), 700), { mode: 0o644 });
          await parts.end();
          const found: { name: string; data: Uint8Array }[] = [];
          const all = async function* () {
            yield* written;
          };
          for await (const file of readFramed(all())) {
            found.push({ name: file.name, data: new Uint8Array(await collect(file.data)) });
            expect(file.end().mode).toBe(0o644);
          }
          expect(found).toEqual(files.map(({ name, data }) => ({ name, data: new Uint8Array(data) })));
        },
      ),
      { numRuns: 40 },
    );
  });
});
