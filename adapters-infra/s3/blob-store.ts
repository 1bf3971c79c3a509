import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import * as Effect from "effect/Effect";
import type { BlobStore, ByteRange, StoredBlob } from "../../ports/blob-store.ts";

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Of a service that speaks the protocol; null: Amazon's. */
  readonly endpoint: string | null;
  /** Before every key, such as `boardroom/`. */
  readonly prefix: string;
}

/** The least that S3 takes as a part which is not the last. */
const partBytes = 5 * 1024 * 1024;

/**
 * Blobs in a bucket, with the credentials of the machine's default chain. An object is visible once it is complete; what
 * is larger than a part goes up in parts, of which one at a time is held.
 */
export const s3BlobStore = ({ bucket, region, endpoint, prefix }: S3Options): BlobStore => {
  const sdk = () => import("@aws-sdk/client-s3");
  let opened: Promise<S3Client> | undefined;
  const open = () => {
    opened ??= sdk().then(
      ({ S3Client }) =>
        new S3Client({
          region,
          ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
        }),
    );
    return opened;
  };
  const at = (key: string) => ({ Bucket: bucket, Key: `${prefix}${key}` });

  const put = async (key: string, bytes: Uint8Array): Promise<void> => {
    const { PutObjectCommand } = await sdk();
    await (await open()).send(new PutObjectCommand({ ...at(key), Body: bytes }));
  };

  const putParts = async (key: string, first: Buffer, rest: AsyncIterator<Buffer, void>): Promise<void> => {
    const {
      AbortMultipartUploadCommand,
      CompleteMultipartUploadCommand,
      CreateMultipartUploadCommand,
      UploadPartCommand,
    } = await sdk();
    const client = await open();
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(at(key)));
    try {
      const parts: { PartNumber: number; ETag: string | undefined }[] = [];
      let part: Buffer | undefined = first;
      for (let PartNumber = 1; part !== undefined; PartNumber++) {
        const { ETag } = await client.send(
          new UploadPartCommand({ ...at(key), UploadId, PartNumber, Body: part }),
        );
        parts.push({ PartNumber, ETag });
        const next: IteratorResult<Buffer, void> = await rest.next();
        part = next.done ? undefined : next.value;
      }
      await client.send(
        new CompleteMultipartUploadCommand({ ...at(key), UploadId, MultipartUpload: { Parts: parts } }),
      );
    } catch (error) {
      // What cannot be given up now is tidied away later.
      await client.send(new AbortMultipartUploadCommand({ ...at(key), UploadId })).catch(() => {});
      throw error;
    }
  };

  const putStream = async (key: string, source: AsyncIterable<Uint8Array>): Promise<StoredBlob> => {
    const hash = createHash("sha256");
    let byteSize = 0;
    const counted = async function* () {
      for await (const piece of source) {
        hash.update(piece);
        byteSize += piece.byteLength;
        yield piece;
      }
    };
    const parts = inParts(counted());
    const first = await parts.next();
    const second = first.done ? first : await parts.next();
    const head = first.done ? Buffer.alloc(0) : first.value;
    if (second.done) await put(key, head);
    else await putParts(key, head, after(second.value, parts));
    return { sha256: hash.digest("hex"), byteSize };
  };

  const get = async (key: string, range: ByteRange | undefined): Promise<Readable | Uint8Array | null> => {
    if (range !== undefined && range.end <= range.start) return new Uint8Array();
    const { GetObjectCommand } = await sdk();
    try {
      const asked = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end - 1}` };
      const { Body } = await (await open()).send(new GetObjectCommand({ ...at(key), ...asked }));
      return (Body ?? null) as Readable | null;
    } catch (error) {
      const { name } = error as Error;
      if (name === "NoSuchKey" || name === "NotFound") return null;
      if (name === "InvalidRange") return new Uint8Array();
      throw error;
    }
  };

  return {
    provider: "s3",
    put: (key, bytes) => Effect.promise(() => put(key, bytes)),
    putStream: (key, source) => Effect.promise(() => putStream(key, source)),
    get: (key, range) =>
      Effect.promise(async () => {
        const found = await get(key, range);
        if (found === null || found instanceof Uint8Array) return found;
        const pieces: Uint8Array[] = [];
        for await (const piece of found) pieces.push(piece as Uint8Array);
        return Buffer.concat(pieces);
      }),
    getStream: (key, range) =>
      Effect.promise(async () => {
        const found = await get(key, range);
        return found instanceof Uint8Array ? only(found) : found;
      }),
    delete: (key) =>
      Effect.promise(async () => {
        const { DeleteObjectCommand } = await sdk();
        await (await open()).send(new DeleteObjectCommand(at(key)));
      }),
    tidy: (before) =>
      Effect.promise(async () => {
        const { AbortMultipartUploadCommand, ListMultipartUploadsCommand } = await sdk();
        const client = await open();
        const { Uploads = [] } = await client.send(
          new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }),
        );
        for (const { Key, UploadId, Initiated } of Uploads)
          if (Initiated !== undefined && Initiated.toISOString() < before)
            await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
      }),
  };
};

/** Pieces of any size as parts of one size; the last may be smaller. */
async function* inParts(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (let piece of source) {
    while (bytes + piece.byteLength >= partBytes) {
      const missing = partBytes - bytes;
      yield Buffer.concat([...held, piece.subarray(0, missing)]);
      piece = piece.subarray(missing);
      held = [];
      bytes = 0;
    }
    if (piece.byteLength > 0) held.push(piece);
    bytes += piece.byteLength;
  }
  if (bytes > 0) yield Buffer.concat(held);
}

async function* after(next: Buffer, more: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  yield next;
  yield* more;
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
