import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import * as Effect from "effect/Effect";
import { type BlobStore, BlobsUnavailable, type ByteRange, type StoredBlob } from "../../ports/blob-store.ts";

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** The endpoint of an S3-compatible service; null: Amazon's. */
  readonly endpoint: string | null;
  /** Prefix of every key, such as `boardroom/`. */
  readonly prefix: string;
  /** Bytes of one part of an upload, of which S3 takes 10,000. Default: 5 MiB. */
  readonly partBytes?: number;
}

/** Each part is in memory during its upload. */
const partsAtATime = 1;

/** Limit of one answer from S3, sending a part included. Reading the body is not limited. */
const answerMs = 60_000;
const connectMs = 5_000;
/** Readers may be slow, and each of them uses a connection. */
const connections = 1_000;
/**
 * S3 may close an idle connection at the moment at which it is used again. The library repeats such a request, but all
 * requests share its retries, which end after about 35 of them.
 */
const idleConnections = 16;

/** The source of a put failed, not S3. */
class SourceFailed extends Error {}

/**
 * Stores blobs in a bucket, with the credentials of the machine's default chain. An object is visible once it is
 * complete; an object larger than a part is uploaded in parts, one at a time in memory. `onFailure` receives errors of
 * S3.
 */
export const s3BlobStore = (
  { bucket, region, endpoint, prefix, partBytes }: S3Options,
  onFailure: (error: unknown) => void = () => {},
): BlobStore => {
  const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, BlobsUnavailable> =>
    Effect.tryPromise({
      try: work,
      catch: (error) => {
        if (error instanceof SourceFailed) throw error.cause;
        onFailure(error);
        return new BlobsUnavailable();
      },
    });
  const sdk = () => import("@aws-sdk/client-s3");
  let opened: Promise<S3Client> | undefined;
  const open = () => {
    opened ??= sdk().then(
      ({ S3Client }) =>
        new S3Client({
          region,
          requestHandler: {
            connectionTimeout: connectMs,
            requestTimeout: answerMs,
            throwOnRequestTimeout: true,
            httpAgent: { maxSockets: connections, maxFreeSockets: idleConnections },
            httpsAgent: { maxSockets: connections, maxFreeSockets: idleConnections },
          },
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

  const putStream = async (key: string, source: AsyncIterable<Uint8Array>): Promise<StoredBlob> => {
    const { Upload } = await import("@aws-sdk/lib-storage");
    const hash = createHash("sha256");
    let byteSize = 0;
    let broken: SourceFailed | null = null;
    const pieces = async function* () {
      try {
        for await (const piece of source) yield piece;
      } catch (cause) {
        broken = new SourceFailed("the source of a blob broke off", { cause });
        throw broken;
      }
    };
    // Separate from the source: an error that the upload throws in here is not the source's.
    const counted = async function* () {
      for await (const piece of pieces()) {
        hash.update(piece);
        byteSize += piece.byteLength;
        yield piece;
      }
    };
    const upload = new Upload({
      client: await open(),
      params: { ...at(key), Body: Readable.from(counted()) },
      queueSize: partsAtATime,
      ...(partBytes === undefined ? {} : { partSize: partBytes }),
    });
    // The error of a failed abort adds nothing; `tidy` removes the parts later.
    await upload.done().catch((error: unknown) => Promise.reject(broken ?? error));
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
    put: (key, bytes) => attempt(() => put(key, bytes)),
    putStream: (key, source) => attempt(() => putStream(key, source)),
    get: (key, range) =>
      attempt(async () => {
        const found = await get(key, range);
        if (found === null || found instanceof Uint8Array) return found;
        const pieces: Uint8Array[] = [];
        for await (const piece of found) pieces.push(piece as Uint8Array);
        return Buffer.concat(pieces);
      }),
    getStream: (key, range) =>
      attempt(async () => {
        const found = await get(key, range);
        return found instanceof Uint8Array ? only(found) : found;
      }),
    delete: (key) =>
      attempt(async () => {
        const { DeleteObjectCommand } = await sdk();
        await (await open()).send(new DeleteObjectCommand(at(key)));
      }),
    tidy: (before) =>
      attempt(async () => {
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

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
