import { pipeline } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";
import { pack as tarPack } from "tar-stream";
import { encrypt } from "./age.ts";
import {
  checksumFolder,
  checksumLine,
  filesPerChecksums,
  hashed,
  headerOf,
  type Member,
} from "./archive-member.ts";
import type { BackupTarget } from "./installation.ts";
import type { Manifest } from "./manifest.ts";

export interface ArchiveWriter {
  /** The bytes of the file. Must be read while members are added. */
  readonly output: AsyncIterable<Buffer>;
  add(member: Member): Promise<void>;
  /** Adds a file of the service. */
  addText(name: string, data: Buffer): Promise<void>;
  end(): Promise<void>;
  /** Makes `output` fail. */
  fail(error: Error): void;
}

export interface ArchiveOptions {
  /** Encrypts the file with age. */
  readonly passphrase: string | null;
  readonly at: Date;
  /** Called after each piece, which waits for it. */
  readonly afterPiece?: (bytes: number) => Promise<void>;
}

/**
 * Writes a tar archive through gzip, encrypted where there is a passphrase. After some files follow their checksums, those of
 * the former checksums among them, and the last member has such: a file that is left out, changed or cut off is noticed.
 */
export const archiveWriter = ({
  passphrase,
  at,
  afterPiece = async () => {},
}: ArchiveOptions): ArchiveWriter => {
  const pack = tarPack();
  // Higher levels cost several times the processor time, which the service needs, for a tenth of the size.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  // Its error is `output`'s, and the callers' of `add`.
  pipeline(pack, gzip).catch(() => {});
  let lines: string[] = [];
  let checksums = 0;
  const write = async (member: Member): Promise<void> => {
    const target = member.kind === "link" ? await wholeOf(member.data()) : null;
    const header = headerOf(member, target);
    if (member.kind !== "file")
      return new Promise((resolve, reject) =>
        pack.entry(header, (error) => (error ? reject(error) : resolve())),
      );
    let sha256 = "";
    const pieces = async function* () {
      for await (const piece of hashed(member.data(), (digest) => (sha256 = digest))) {
        yield piece;
        await afterPiece(piece.length);
      }
    };
    await pipeline(pieces, pack.entry(header));
    lines.push(checksumLine(member, sha256));
  };
  const addText = (name: string, data: Buffer) =>
    write({
      ...{ kind: "file", name, mode: 0o600, uid: 0, gid: 0, modifiedMs: at.getTime(), bytes: data.length },
      data: async function* () {
        yield data;
      },
    });
  const addChecksums = async () => {
    const text = Buffer.from(lines.join(""));
    lines = [];
    checksums += 1;
    await addText(`${checksumFolder}/${String(checksums).padStart(6, "0")}`, text);
  };
  return {
    output: passphrase === null ? gzip : encrypt(gzip, passphrase),
    add: async (member) => {
      await write(member);
      if (lines.length >= filesPerChecksums) await addChecksums();
    },
    addText,
    end: async () => {
      await addChecksums();
      pack.finalize();
    },
    fail: (error) => {
      pack.destroy(error);
      gzip.destroy(error);
    },
  };
};

/** For the few members that fit into memory. */
export const wholeOf = async (data: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of data) pieces.push(piece);
  return Buffer.concat(pieces);
};

/** Writes a file of all that `fill` adds; a partial one never has the name. */
export const writeArchive = async (
  target: Pick<BackupTarget, "write">,
  name: string,
  options: ArchiveOptions,
  fill: (archive: ArchiveWriter) => Promise<Manifest>,
) => {
  const archive = archiveWriter(options);
  let first: { readonly error: unknown } | null = null;
  const recordFailure = (error: unknown) => {
    first ??= { error };
    archive.fail(error instanceof Error ? error : new Error(String(error)));
    return null;
  };
  const writing = target.write(name, archive.output).catch(recordFailure);
  const manifest = await fill(archive).catch(recordFailure);
  const written = await writing;
  if (first !== null) throw (first as { readonly error: unknown }).error;
  return { manifest: manifest!, written: written! };
};
