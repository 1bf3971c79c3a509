import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { BackupUnusable, changed, truncated } from "./backup-unusable.ts";
import { ByteQueue } from "./byte-queue.ts";

/** First bytes of an encrypted file. */
export const sealedMagic = Buffer.from("boardroom sealed backup 1\n", "latin1");
const saltBytes = 16;
const tagBytes = 16;
/** Clear bytes of a frame; the last one has fewer, or none. */
const frameBytes = 256 * 1024;
/** Logarithm of scrypt's N: 128 MiB and about half a second. */
const usualCost = 17;
/** A file may not make a reader compute for hours, or with a key that is found easily. */
const leastCost = 14;
const greatestCost = 20;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

export const keyOfPassphrase = (passphrase: string, salt: Buffer, cost: number): Promise<Buffer> =>
  derive(passphrase.normalize("NFKC"), salt, 32, { N: 2 ** cost, r: 8, p: 1, maxmem: 256 * 2 ** cost * 8 });

const doesNotOpen = () =>
  new BackupUnusable(
    "The passphrase does not open the backup, or the backup was changed after it was written.",
  );

export const isSealed = (first: Buffer): boolean => first.subarray(0, sealedMagic.length).equals(sealedMagic);

/**
 * Encrypts a stream in frames (AES-256-GCM). The nonce of a frame is its number and whether it is the last, so that
 * frames that are left out, changed, put elsewhere or cut off are noticed. The key is of this file alone.
 */
export async function* seal(
  source: AsyncIterable<Buffer>,
  passphrase: string,
  cost = usualCost,
): AsyncGenerator<Buffer, void> {
  const head = Buffer.concat([sealedMagic, Buffer.from([cost]), randomBytes(saltBytes)]);
  const key = await keyOfPassphrase(passphrase, head.subarray(sealedMagic.length + 1), cost);
  yield head;
  const queue = new ByteQueue();
  let number = 0;
  const next = (isLast: boolean): Buffer => {
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(number, isLast));
    cipher.setAAD(head);
    const sealed = cipher.update(queue.take(isLast ? queue.length : frameBytes));
    number += 1;
    return Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]);
  };
  for await (const piece of source) {
    queue.push(piece);
    while (queue.length > frameBytes) yield next(false);
  }
  yield next(true);
}

/** Decrypts; throws `BackupUnusable` where it is not exactly as it was written. Yields no byte that is not checked. */
export async function* unseal(
  source: AsyncIterable<Buffer>,
  passphrase: string,
): AsyncGenerator<Buffer, void> {
  const queue = new ByteQueue();
  const headBytes = sealedMagic.length + 1 + saltBytes;
  const whole = frameBytes + tagBytes;
  let head: Buffer | null = null;
  let key: Buffer = Buffer.alloc(0);
  let number = 0;
  const open = (frame: Buffer, isLast: boolean): Buffer => {
    const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(number, isLast));
    decipher.setAAD(head!);
    decipher.setAuthTag(frame.subarray(frame.length - tagBytes));
    const clear = decipher.update(frame.subarray(0, frame.length - tagBytes));
    try {
      decipher.final();
    } catch {
      throw number === 0 ? doesNotOpen() : changed();
    }
    number += 1;
    return clear;
  };
  for await (const piece of source) {
    queue.push(piece);
    if (head === null) {
      if (queue.length < headBytes) continue;
      head = Buffer.from(queue.take(headBytes));
      const cost = head[sealedMagic.length]!;
      if (!isSealed(head) || cost < leastCost || cost > greatestCost) throw changed();
      key = await keyOfPassphrase(passphrase, head.subarray(sealedMagic.length + 1), cost);
    }
    // The last frame is known as such only at the end.
    while (queue.length > whole) yield open(queue.take(whole), false);
  }
  if (head === null || queue.length < tagBytes) throw truncated();
  yield open(queue.take(queue.length), true);
}

const nonceOf = (number: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(number), 0);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
};

/** A small secret under a passphrase, as text. */
export const wrap = async (secret: Buffer, passphrase: string, cost = usualCost): Promise<string> => {
  const pieces: Buffer[] = [];
  const once = async function* () {
    yield secret;
  };
  for await (const piece of seal(once(), passphrase, cost)) pieces.push(piece);
  return Buffer.concat(pieces).toString("base64");
};

export const unwrap = async (wrapped: string, passphrase: string): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  const once = async function* () {
    yield Buffer.from(wrapped, "base64");
  };
  for await (const piece of unseal(once(), passphrase)) pieces.push(piece);
  return Buffer.concat(pieces);
};
