import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import * as Effect from "effect/Effect";
import { type BlobStore, BlobsUnavailable, type ByteRange, type StoredBlob } from "../../ports/blob-store.ts";
import { type Bucket, openBucket, type S3Options, sdk } from "./bucket.ts";

/** Each part is in memory during its upload. */
const partsAtATime = 1;

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
  const { Uploads = [] } = await client
    .send(new ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: prefix }))
    .catch((error: Error & { $metadata?: { httpStatusCode?: number } }) => {
      // Some compatible stores have no such list, and remove what was not completed by rules of their own.
      if (error.$metadata?.httpStatusCode === 501) return { Uploads: [] };
      throw error;
    });
  for (const { Key, UploadId, Initiated } of Uploads)
    if (Initiated !== undefined && Initiated.toISOString() < before)
      await client.send(new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId }));
};

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
