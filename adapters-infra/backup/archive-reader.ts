import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract as tarExtract } from "tar-stream";
import { decrypt, isEncrypted } from "./age.ts";
import { checksumFolder, checksumLine, hashed, type Member, memberOf } from "./archive-member.ts";
import { wholeOf } from "./archive-writer.ts";
import { BackupUnusable, changed } from "./backup-failures.ts";

/** Many times the checksums that a writer adds at once. */
const maxChecksumBytes = 16 * 1024 * 1024;

/**
 * Reads the members in their order, without those that have checksums, which it compares. Throws `BackupUnusable` where what
 * was read is not exactly what was written, at the latest after the last member. Reads what its caller leaves out.
 */
export async function* readArchive(
  source: AsyncIterable<Buffer>,
  passphrase: string | null,
): AsyncGenerator<Member, void> {
  const gunzip = createGunzip();
  const extract = tarExtract();
  const fed = pipeline(decrypted(source, passphrase), gunzip, extract).then(
    () => null,
    (error: unknown) => error,
  );
  /** The backup was changed where tar or gzip refuses it. Errors of the disk stay as they are. */
  const reasonOf = async (error: unknown): Promise<unknown> => {
    extract.destroy();
    for (const each of [await fed, error])
      if (each instanceof BackupUnusable || (each as NodeJS.ErrnoException | null)?.syscall !== undefined)
        return each;
    return changed();
  };
  try {
    let lines = "";
    let areChecked = false;
    for await (const entry of extract) {
      const { target, ...member } = memberOf(entry.header);
      let isRead = member.kind !== "file";
      const data = async function* (): AsyncGenerator<Buffer, void> {
        if (target !== null) yield target;
        if (member.kind !== "file") return;
        try {
          yield* hashed(entry as AsyncIterable<Buffer>, (sha256) => {
            lines += checksumLine(member, sha256);
            isRead = true;
          });
        } catch (error) {
          throw await reasonOf(error);
        }
      };
      areChecked = member.name.startsWith(`${checksumFolder}/`);
      if (areChecked) {
        if (member.bytes > maxChecksumBytes) throw changed();
        const expected = lines;
        lines = "";
        if ((await wholeOf(data())).toString() !== expected) throw changed();
        continue;
      }
      yield { ...member, data };
      if (!isRead) for await (const _ of data());
      else if (member.kind !== "file") entry.resume();
    }
    const failure = await fed;
    if (failure !== null) throw failure;
    if (!areChecked) throw changed();
  } catch (error) {
    throw await reasonOf(error);
  } finally {
    extract.destroy();
    gunzip.destroy();
  }
}

const formerMagic = Buffer.from("boardroom sealed backup 1\n");
const gzipMagic = Buffer.from([0x1f, 0x8b]);

export const formerFormat = () =>
  new BackupUnusable(
    "The backup has format 1, which this version of the service does not read. Restore it with the build that made it, upgrade that installation, and back it up again.",
  );

/** The compressed archive of a file that may be encrypted. */
async function* decrypted(
  source: AsyncIterable<Buffer>,
  passphrase: string | null,
): AsyncGenerator<Buffer, void> {
  const pieces = source[Symbol.asyncIterator]();
  try {
    let first: Buffer = Buffer.alloc(0);
    while (first.length < formerMagic.length) {
      const next = await pieces.next();
      if (next.done) break;
      first = Buffer.concat([first, next.value]);
    }
    const all = async function* (): AsyncGenerator<Buffer, void> {
      yield first;
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
    };
    if (first.subarray(0, formerMagic.length).equals(formerMagic)) throw formerFormat();
    if (isEncrypted(first)) {
      if (passphrase === null)
        throw new BackupUnusable(
          "The backup is encrypted: give the file with its passphrase (--passphrase-file).",
        );
      yield* decrypt(all(), passphrase);
    } else if (first.subarray(0, gzipMagic.length).equals(gzipMagic)) yield* all();
    else throw new BackupUnusable("The file is not a backup of Boardroom.");
  } finally {
    await pieces.return?.();
  }
}
