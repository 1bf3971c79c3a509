import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { ArchivePart } from "./archive-writer.ts";
import { BackupUnusable, changed, truncated } from "./backup-unusable.ts";
import { ByteQueue } from "./byte-queue.ts";
import { checkedByDigest } from "./digest-member.ts";
import { isSealed, sealedMagic, unseal } from "./sealing.ts";
import { paddingAfter, readTarHeader, tarBlock } from "./tar.ts";

/** An entry of the archive with its bytes. */
export interface ArchiveEntry extends ArchivePart {
  readonly data: Buffer;
}

/** No part of a backup comes near it: a changed length must not take all memory. */
const largestEntry = 512 * 1024 * 1024;

/**
 * Reads the entries in their order. Throws `BackupUnusable` where the file is not exactly as it was written, at the
 * latest after the last entry.
 */
export async function* readArchive(
  source: AsyncIterable<Buffer>,
  passphrase: string | null,
): AsyncGenerator<ArchiveEntry, void> {
  const gunzip = createGunzip();
  const fed = pipeline(Readable.from(checkedByDigest(opened(source, passphrase))), gunzip).catch(
    (error: unknown) => error,
  );
  try {
    yield* entriesOf(gunzip as AsyncIterable<Buffer>);
    const failure = await fed;
    if (failure !== undefined) throw failure;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw typeof code === "string" && code.startsWith("Z_") ? changed() : error;
  } finally {
    gunzip.destroy();
  }
}

async function* entriesOf(tar: AsyncIterable<Buffer>): AsyncGenerator<ArchiveEntry, void> {
  const queue = new ByteQueue();
  let entry: { readonly name: string; readonly bytes: number } | null = null;
  let hasEnded = false;
  for await (const piece of tar) {
    queue.push(piece);
    while (true) {
      if (hasEnded) {
        if (queue.take(queue.length).some((byte) => byte !== 0)) throw changed();
        break;
      }
      if (entry === null) {
        if (queue.length < tarBlock) break;
        entry = readTarHeader(queue.take(tarBlock));
        hasEnded = entry === null;
        if (entry !== null && entry.bytes > largestEntry) throw changed();
        continue;
      }
      const whole = entry.bytes + paddingAfter(entry.bytes);
      if (queue.length < whole) break;
      const data = queue.take(whole).subarray(0, entry.bytes);
      const sha256 = createHash("sha256").update(data).digest("hex");
      yield { ...entry, sha256, data };
      entry = null;
    }
  }
  if (!hasEnded) throw truncated();
}

/** The compressed archive of a file that may be encrypted. */
async function* opened(
  source: AsyncIterable<Buffer>,
  passphrase: string | null,
): AsyncGenerator<Buffer, void> {
  const pieces = source[Symbol.asyncIterator]();
  const queue = new ByteQueue();
  try {
    while (queue.length < sealedMagic.length) {
      const next = await pieces.next();
      if (next.done) break;
      queue.push(next.value);
    }
    const first = queue.take(queue.length);
    if (first.length < sealedMagic.length) throw truncated();
    const all = async function* (): AsyncGenerator<Buffer, void> {
      yield first;
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
    };
    if (!isSealed(first)) yield* all();
    else if (passphrase === null)
      throw new BackupUnusable(
        "The backup is encrypted: give the file with its passphrase (--passphrase-file).",
      );
    else yield* unseal(all(), passphrase);
  } finally {
    await pieces.return?.();
  }
}
