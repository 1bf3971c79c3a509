import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { Stanza } from "age-encryption";
import { BackupUnusable, changed } from "./backup-failures.ts";

/**
 * Files that `age` opens with a passphrase (https://age-encryption.org/v1). The library writes and reads their headers. The
 * key of the passphrase and the payload are computed by Node's own cryptography, because the library's JavaScript encrypts
 * 30 MB a second and would stop a service for seconds at each passphrase.
 */
const magic = "age-encryption.org/v1\n";
const chunkBytes = 64 * 1024;
const tagBytes = 16;
const nonceBytes = 16;
/** Logarithm of scrypt's N: 128 MiB and about half a second. */
const workFactor = 17;
/** A file may not make a reader compute for hours. */
const maxWorkFactor = 20;
const maxHeaderBytes = 64 * 1024;

/** Loaded at the first encrypted file: few services need it. */
const library = () => import("age-encryption");

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

const passphraseKey = (passphrase: string, salt: Buffer, factor: number): Promise<Buffer> =>
  derive(passphrase, Buffer.concat([Buffer.from("age-encryption.org/v1/scrypt"), salt]), 32, {
    ...{ N: 2 ** factor, r: 8, p: 1 },
    maxmem: 256 * 2 ** factor * 8,
  });

const encryptChunk = (key: Uint8Array, nonce: Buffer, clear: Uint8Array): Buffer => {
  const cipher = createCipheriv("chacha20-poly1305", key, nonce, { authTagLength: tagBytes });
  return Buffer.concat([cipher.update(clear), cipher.final(), cipher.getAuthTag()]);
};

/** Returns null where the key is another one, or a byte differs. */
const decryptChunk = (key: Uint8Array, nonce: Buffer, chunk: Uint8Array): Buffer | null => {
  if (chunk.length < tagBytes) return null;
  const decipher = createDecipheriv("chacha20-poly1305", key, nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(chunk.subarray(chunk.length - tagBytes));
  try {
    const clear = decipher.update(chunk.subarray(0, chunk.length - tagBytes));
    decipher.final();
    return clear;
  } catch {
    return null;
  }
};

const payloadKey = (fileKey: Uint8Array, nonce: Buffer): Buffer =>
  Buffer.from(hkdfSync("sha256", fileKey, nonce, "payload", 32));

/** The number of the chunk, and whether it is the last: chunks that are left out, moved or cut off do not decrypt. */
const chunkNonce = (number: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(number), 3);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
};

export const isEncrypted = (first: Buffer): boolean =>
  first.subarray(0, magic.length).equals(Buffer.from(magic));

/** Encrypts a stream under a passphrase. */
export async function* encrypt(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  passphrase: string,
  factor = workFactor,
): AsyncGenerator<Buffer, void> {
  const { header, fileKey } = await newHeader(passphrase, factor);
  const nonce = randomBytes(nonceBytes);
  yield Buffer.concat([header, nonce]);
  const key = payloadKey(fileKey, nonce);
  let number = 0;
  for await (const { chunk, isLast } of chunksOf(source, chunkBytes))
    yield encryptChunk(key, chunkNonce(number++, isLast), chunk);
}

const newHeader = async (passphrase: string, factor: number) => {
  const { Encrypter, Stanza: NewStanza } = await library();
  let fileKey = new Uint8Array();
  const encrypter = new Encrypter();
  encrypter.addRecipient({
    wrapFileKey: async (given) => {
      fileKey = Uint8Array.from(given);
      const salt = randomBytes(16);
      const key = await passphraseKey(passphrase, salt, factor);
      const args = ["scrypt", salt.toString("base64").replaceAll("=", ""), String(factor)];
      return [new NewStanza(args, encryptChunk(key, Buffer.alloc(12), given))];
    },
  });
  // Of a file without content: behind its header are a nonce and the tag of an empty chunk, which stay here.
  const empty = Buffer.from(await encrypter.encrypt(new Uint8Array()));
  return { header: empty.subarray(0, empty.length - nonceBytes - tagBytes), fileKey };
};

/** Decrypts; throws `BackupUnusable` where it is not exactly as it was written. Yields no byte that is not checked. */
export async function* decrypt(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Buffer, void> {
  const pieces = (async function* () {
    yield* source;
  })();
  try {
    let head: Buffer = Buffer.alloc(0);
    let headerEnd = -1;
    while (headerEnd < 0 || head.length < headerEnd + nonceBytes) {
      const next = await pieces.next();
      if (next.done || head.length > maxHeaderBytes) throw changed();
      head = Buffer.concat([head, next.value]);
      headerEnd = endOfHeader(head);
    }
    const rest = async function* (): AsyncGenerator<Uint8Array, void> {
      yield head.subarray(headerEnd + nonceBytes);
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
    };
    const fileKey = await fileKeyOf(head.subarray(0, headerEnd), passphrase);
    const key = payloadKey(fileKey, head.subarray(headerEnd, headerEnd + nonceBytes));
    let number = 0;
    for await (const { chunk, isLast } of chunksOf(rest(), chunkBytes + tagBytes)) {
      const clear = decryptChunk(key, chunkNonce(number, isLast), chunk);
      if (clear === null || (clear.length === 0 && number > 0)) throw changed();
      yield clear;
      number += 1;
    }
  } finally {
    await pieces.return();
  }
}

/** Behind the line with the header's authentication code; -1: it has not ended. */
const endOfHeader = (head: Buffer): number => {
  const last = head.indexOf("\n--- ");
  const end = last < 0 ? -1 : head.indexOf("\n", last + 1);
  return end < 0 ? -1 : end + 1;
};

const fileKeyOf = async (header: Buffer, passphrase: string): Promise<Uint8Array> => {
  const { Decrypter } = await library();
  const decrypter = new Decrypter();
  decrypter.addIdentity({
    unwrapFileKey: async ([stanza]: readonly Stanza[]) => {
      const [kind, salt = "", factor = ""] = stanza?.args ?? [];
      if (kind !== "scrypt" || !/^[1-9][0-9]?$/.test(factor) || Number(factor) > maxWorkFactor) return null;
      const key = await passphraseKey(passphrase, Buffer.from(salt, "base64"), Number(factor));
      return decryptChunk(key, Buffer.alloc(12), stanza!.body);
    },
  });
  return decrypter.decryptHeader(header).catch(() => {
    throw new BackupUnusable(
      "The passphrase does not open the backup, or the backup was changed after it was written.",
    );
  });
};

/** Chunks of that length; the last one is shorter or as long, and empty only where all is. */
async function* chunksOf(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  length: number,
): AsyncGenerator<{ readonly chunk: Buffer; readonly isLast: boolean }, void> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const piece of source) {
    pending = Buffer.concat([pending, piece]);
    let at = 0;
    for (; pending.length - at > length; at += length)
      yield { chunk: pending.subarray(at, at + length), isLast: false };
    pending = pending.subarray(at);
  }
  yield { chunk: pending, isLast: true };
}
