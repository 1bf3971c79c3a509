import { createHash } from "node:crypto";
import { BackupUnusable, changed } from "./backup-unusable.ts";
import { ByteQueue } from "./byte-queue.ts";

/**
 * The last member of the gzip file is empty and carries the SHA-256 of all bytes before it in its extra field (RFC 1952),
 * which other programs skip. gzip's own checksum does not cover its headers and padding.
 */
const before = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 36, 0, 0x42, 0x52, 32, 0]);
/** An empty block, and the checksum and length of nothing. */
const after = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const digestBytes = 32;
const memberBytes = before.length + digestBytes + after.length;

/** Appends the member. */
export async function* withDigest(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const hash = createHash("sha256");
  for await (const piece of source) {
    hash.update(piece);
    yield piece;
  }
  yield Buffer.concat([before, hash.digest(), after]);
}

/** Returns what was put in, without the member; throws at the end where a byte differs or is missing. */
export async function* checkedByDigest(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const hash = createHash("sha256");
  const queue = new ByteQueue();
  let isFirst = true;
  for await (const piece of source) {
    queue.push(piece);
    if (queue.length <= memberBytes) continue;
    const known = queue.take(queue.length - memberBytes);
    if (isFirst && !known.subarray(0, 2).equals(before.subarray(0, Math.min(2, known.length))))
      throw new BackupUnusable("The file is not a backup of Boardroom.");
    isFirst = false;
    hash.update(known);
    yield known;
  }
  const expected = Buffer.concat([before, hash.digest(), after]);
  if (!queue.take(queue.length).equals(expected)) throw changed();
}
