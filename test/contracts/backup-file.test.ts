import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decrypt, encrypt } from "../../adapters-infra/backup/age.ts";
import type { Member } from "../../adapters-infra/backup/archive-member.ts";
import { readArchive } from "../../adapters-infra/backup/archive-reader.ts";
import { archiveWriter, wholeOf } from "../../adapters-infra/backup/archive-writer.ts";
import { BackupUnusable } from "../../adapters-infra/backup/backup-failures.ts";
import { ageWithPassphrase } from "../support/age.ts";
import { has } from "../support/needed-programs.ts";

const at = new Date("2026-11-23T00:00:00Z");
const passphrase = "correct horse battery";
/** A property opens many files. */
const factor = 10;

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Buffer, void> {
  for (let from = 0; from < bytes.length; from += size) yield Buffer.from(bytes.subarray(from, from + size));
}
const file = (name: string, data: string | Buffer): Member => ({
  ...{ kind: "file", name, mode: 0o600, uid: 0, gid: 0, modifiedMs: at.getTime() },
  bytes: Buffer.from(data).length,
  data: () => inPieces(Buffer.from(data), 700),
});
const archiveOf = async (members: readonly Member[], secret: string | null = null): Promise<Buffer> => {
  const archive = archiveWriter({ passphrase: secret, at });
  const output = wholeOf(archive.output);
  for (const member of members) await archive.add(member);
  await archive.end();
  return output;
};
const read = async (bytes: Buffer, secret: string | null = null, size = 1_000) => {
  const members: (Omit<Member, "data"> & { readonly data: string })[] = [];
  for await (const member of readArchive(inPieces(bytes, size), secret))
    members.push({ ...member, data: (await wholeOf(member.data())).toString("latin1") });
  return members;
};
const stored = async (members: readonly Member[]) =>
  Promise.all(
    members.map(async (each) => ({ ...each, data: (await wholeOf(each.data())).toString("latin1") })),
  );

/** Names as Linux has them: any bytes but 0, in segments. */
const Name = fc
  .array(
    fc
      .uint8Array({ minLength: 1, maxLength: 60 })
      .map((bytes) => Buffer.from(bytes).toString("latin1").replace(/[\0/]/g, "_"))
      .filter((each) => each !== "." && each !== ".."),
    { minLength: 1, maxLength: 5 },
  )
  .map((segments) => `w/${segments.join("/")}`);
const Members = fc.uniqueArray(
  fc.record({
    kind: fc.constantFrom("file", "link", "folder"),
    name: Name,
    mode: fc.nat(0o777),
    uid: fc.nat(2 ** 32 - 2),
    gid: fc.nat(2 ** 32 - 2),
    modifiedMs: fc.integer({ min: -(2 ** 40), max: 2 ** 45 }),
    data: fc.uint8Array({ minLength: 1, maxLength: 3_000 }),
  }),
  { selector: ({ name }) => name, maxLength: 5 },
);

describe("The file of a backup", () => {
  it("whose place fails before it reads ends no service: the error stays with the writer", async () => {
    const archive = archiveWriter({ passphrase: null, at });
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.prependListener("uncaughtException", note);
    try {
      archive.fail(new Error("the disk is full"));
      await expect(archive.add(file("a", "b"))).rejects.toThrow();
      await new Promise((resolve) => setImmediate(resolve));
      expect(uncaught).toEqual([]);
    } finally {
      process.removeListener("uncaughtException", note);
    }
  });

  it("returns names, bytes, modes, owners and times as they were put in, however it arrives", async () => {
    await fc.assert(
      fc.asyncProperty(Members, fc.integer({ min: 1, max: 4_000 }), async (records, size) => {
        const members = records.map(({ data, ...each }): Member => {
          const bytes = Buffer.from(data.map((byte) => (each.kind === "link" && byte === 0 ? 1 : byte)));
          return {
            ...each,
            kind: each.kind as Member["kind"],
            bytes: each.kind === "file" ? bytes.length : 0,
            data: () => inPieces(each.kind === "folder" ? Buffer.alloc(0) : bytes, 700),
          };
        });
        expect(await read(await archiveOf(members), null, size)).toEqual(await stored(members));
      }),
      { numRuns: 60 },
    );
  });

  it("has checksums of all files, also where they are many", async () => {
    const members = Array.from({ length: 2_500 }, (_, n) => file(`tables/${n}`, `${n}\n`));
    const bytes = await archiveOf(members);
    expect(await read(bytes, null, 64_000)).toHaveLength(2_500);
    const other = gunzipSync(bytes);
    other.write("7", other.indexOf("2499\n"));
    await expect(read(gzipSync(other), null, 64_000)).rejects.toThrow(BackupUnusable);
  });

  it("is refused with any byte changed that changes what is read", async () => {
    const members = [file("tables/a", "one row\n".repeat(50)), file("manifest.json", "{}\n")];
    const bytes = await archiveOf(members);
    const whole = await read(bytes);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (where, bits) => {
        const other = Buffer.from(bytes);
        other[where] = other[where]! ^ bits;
        const found = await read(other).catch((error) => error);
        if (found instanceof Error) expect(found).toBeInstanceOf(BackupUnusable);
        else expect(found).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  it("is refused wherever it is cut off, and with members behind its end", async () => {
    const bytes = await archiveOf([file("tables/a", "one row\n".repeat(50))]);
    for (let length = 0; length < bytes.length; length += 3)
      await expect(read(bytes.subarray(0, length))).rejects.toThrow(BackupUnusable);
    await expect(read(Buffer.concat([bytes, bytes]))).rejects.toThrow(BackupUnusable);
    const tar = gunzipSync(bytes);
    for (let length = 0; length < tar.length - 1024; length += 512)
      await expect(read(gzipSync(tar.subarray(0, length)))).rejects.toThrow(BackupUnusable);
  });

  it("of format 1, and what is no backup, are refused with what to do", async () => {
    await expect(read(Buffer.from("boardroom sealed backup 1\nand the rest"))).rejects.toThrow(
      /has format 1.*Restore it with the build that made it/,
    );
    await expect(read(Buffer.from("a picture"))).rejects.toThrow("The file is not a backup of Boardroom.");
  });
});

describe("An encrypted backup", () => {
  it("opens with its passphrase alone, and shows nothing of its contents", async () => {
    const clear = Buffer.from("a secret of the company ".repeat(20_000));
    const bytes = await archiveOf([file("tables/a", clear)], passphrase);
    expect(bytes.includes("tables/a")).toBe(false);
    expect(await read(bytes, passphrase)).toMatchObject([{ name: "tables/a", data: clear.toString() }]);
    await expect(read(bytes, "another passphrase")).rejects.toThrow(/passphrase does not open/);
    await expect(read(bytes)).rejects.toThrow(/is encrypted/);
  });

  it("is refused with any byte changed, and wherever it is cut off", async () => {
    // Two whole chunks and a part of one.
    const clear = Buffer.alloc(2 * 64 * 1024 + 100, "x");
    const sealed = await wholeOf(encrypt(inPieces(clear, 100_000), passphrase, factor));
    const open = (bytes: Buffer) => wholeOf(decrypt(inPieces(bytes, 100_000), passphrase));
    expect((await open(sealed)).equals(clear)).toBe(true);
    const chunk = 64 * 1024 + 16;
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (where, bits) => {
        const other = Buffer.from(sealed);
        other[where] = other[where]! ^ bits;
        await expect(open(other)).rejects.toThrow(BackupUnusable);
        await expect(open(sealed.subarray(0, where))).rejects.toThrow(BackupUnusable);
      }),
      {
        numRuns: 12,
        examples: [
          [25, 255],
          [sealed.length - 1, 1],
          [sealed.length - 116, 1],
          [sealed.length - 116 - chunk, 1],
        ],
      },
    );
  });

  it("of a file that fills its last chunk, and of none, is whole", async () => {
    for (const length of [0, 1, 64 * 1024, 128 * 1024]) {
      const clear = Buffer.alloc(length, "x");
      const sealed = await wholeOf(encrypt(inPieces(clear, 30_000), passphrase, factor));
      expect((await wholeOf(decrypt(inPieces(sealed, 70_000), passphrase))).equals(clear)).toBe(true);
    }
  });
});

describe.skipIf(!has("age"))("With the programs of an operator", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "boardroom-age-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  const run = (command: string) =>
    execFileSync("sh", ["-ec", command], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" },
    });

  it("`age` and `tar` show a backup, and `sha256sum` agrees with its checksums", async () => {
    const members = [
      file("tables/issues/000001.copy", "1\tone\n"),
      file(Buffer.from("workspaces/a/käse\nrest").toString("latin1"), "text"),
      file("blobs/x", Buffer.alloc(200_000, "y")),
      file("manifest.json", "{}\n"),
    ];
    writeFileSync(path("backup.tar.gz.age"), await archiveOf(members, passphrase));
    await ageWithPassphrase(passphrase, "-d", "-o", path("backup.tar.gz"), path("backup.tar.gz.age"));
    expect(run("tar tzf backup.tar.gz").split("\n").slice(0, -1)).toEqual([
      "tables/issues/000001.copy",
      "workspaces/a/käse\\nrest",
      "blobs/x",
      "manifest.json",
      "checksums/000001",
    ]);
    run("mkdir out && tar xzf backup.tar.gz -C out && cd out && sha256sum -c checksums/*");
    expect(readFileSync(path("out/tables/issues/000001.copy"), "utf8")).toBe("1\tone\n");
  });

  it("a file that `age` encrypts is read", async () => {
    writeFileSync(path("made.tar.gz"), await archiveOf([file("a", "b")]));
    await ageWithPassphrase(passphrase, "-p", "-o", path("made.tar.gz.age"), path("made.tar.gz"));
    expect(await read(readFileSync(path("made.tar.gz.age")), passphrase)).toMatchObject([{ data: "b" }]);
  });
});
