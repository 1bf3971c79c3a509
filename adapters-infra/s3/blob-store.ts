import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import * as Effect from "effect/Effect";
import { type BlobStore, BlobsUnavailable, type ByteRange, type StoredBlob } from "../../ports/blob-store.ts";
import { prepareSdk } from "../aws/prepare-sdk.ts";

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
  options: S3Options,
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
  const bucket = openBucket(options);
  return {
    provider: "s3",
    put: (key, bytes) =>
      attempt(async () => {
        const { PutObjectCommand } = await sdk();
        await (await bucket.client()).send(new PutObjectCommand({ ...bucket.at(key), Body: bytes }));
      }),
    putStream: (key, source) => attempt(() => upload(bucket, key, source, options.partBytes)),
    get: (key, range) =>
      attempt(async () => {
        const found = await download(bucket, key, range);
        if (found === null || found instanceof Uint8Array) return found;
        const pieces: Uint8Array[] = [];
        for await (const piece of found) pieces.push(piece as Uint8Array);
        return Buffer.concat(pieces);
      }),
    getStream: (key, range) =>
      attempt(async () => {
        const found = await download(bucket, key, range);
        if (!(found instanceof Uint8Array)) return found;
        return Object.assign(only(found), { byteSize: found.length });
      }),
    delete: (key) =>
      attempt(async () => {
        const { DeleteObjectCommand } = await sdk();
        await (await bucket.client()).send(new DeleteObjectCommand(bucket.at(key)));
      }),
    tidy: (before) => attempt(() => abortUploads(bucket, options.prefix, before)),
  };
};

/** Loaded at the first use: a service without S3 does without it. */
const sdk = () => {
  prepareSdk();
  return import("@aws-sdk/client-s3");
};

interface Bucket {
  readonly client: () => Promise<S3Client>;
  readonly at: (key: string) => { readonly Bucket: string; readonly Key: string };
  readonly name: string;
}

const openBucket = ({ bucket, region, endpoint, prefix }: S3Options): Bucket => {
  let opened: Promise<S3Client> | undefined;
  const open = async () => {
    const { S3Client } = await sdk();
    return new S3Client({
      region,
      requestHandler: {
        connectionTimeout: connectMs,
        requestTimeout: answerMs,
        throwOnRequestTimeout: true,
        httpAgent: { maxSockets: connections, maxFreeSockets: idleConnections },
        httpsAgent: { maxSockets: connections, maxFreeSockets: idleConnections },
      },
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    });
  };
  return {
    name: bucket,
    at: (key) => ({ Bucket: bucket, Key: `${prefix}${key}` }),
    client: () => {
      opened ??= open();
      return opened;
    },
  };
};

const upload = async (
  bucket: Bucket,
  key: string,
  source: AsyncIterable<Uint8Array>,
  partBytes: number | undefined,
): Promise<StoredBlob> => {
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
  const uploading = new Upload({
    client: await bucket.client(),
    params: { ...bucket.at(key), Body: Readable.from(counted()) },
    queueSize: partsAtATime,
    ...(partBytes === undefined ? {} : { partSize: partBytes }),
  });
  // The error of a failed abort adds nothing; `tidy` removes the parts later.
  await uploading.done().catch((error: unknown) => Promise.reject(broken ?? error));
  return { sha256: hash.digest("hex"), byteSize };
};

const download = async (
  bucket: Bucket,
  key: string,
  range: ByteRange | undefined,
): Promise<(Readable & { readonly byteSize: number }) | Uint8Array | null> => {
  if (range !== undefined && range.end <= range.start) return new Uint8Array();
  const { GetObjectCommand } = await sdk();
  try {
    const asked = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end - 1}` };
    const { Body, ContentLength } = await (await bucket.client()).send(
      new GetObjectCommand({ ...bucket.at(key), ...asked }),
    );
    if (Body === undefined) return null;
    // An answer without a length ends at once where the reader needs one.
    return Object.assign(Body as Readable, { byteSize: ContentLength ?? 0 });
  } catch (error) {
    const { name } = error as Error;
    if (name === "NoSuchKey" || name === "NotFound") return null;
    if (name === "InvalidRange") return new Uint8Array();
    throw error;
  }
};

/** Removes the parts of uploads that began before that time and were not completed. */
const abortUploads = async (bucket: Bucket, prefix: string, before: string): Promise<void> => {
  const { AbortMultipartUploadCommand, ListMultipartUploadsCommand } = await sdk();
  const client = await bucket.client();
  const { Uploads = [] } = await client.send(
    new ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: prefix }),
  );
  for (const { Key, UploadId, Initiated } of Uploads)
    if (Initiated !== undefined && Initiated.toISOString() < before)
      await client.send(new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId }));
};

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
