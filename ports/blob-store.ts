import type * as Effect from "effect/Effect";
import { refusal } from "../core/shared/failure.ts";
import type { Instant } from "../core/shared/instant.ts";

/** The disk is full, the bucket does not answer, its credentials do not count. The service's log says which. */
export class BlobsUnavailable extends refusal(
  "blob_store_unavailable",
  "upstream_unavailable",
  "Files cannot be stored or read at the moment. Try again later.",
) {}

export interface StoredBlob {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly byteSize: number;
}

/** From `start` up to and without `end`, in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Keeps bytes under keys. A key is visible only once all its bytes are stored. */
export interface BlobStore {
  /** What it is called where people see it. */
  readonly provider: "local_disk" | "s3";
  put(key: string, bytes: Uint8Array): Effect.Effect<void, BlobsUnavailable>;
  /**
   * Stores what the source gives, piece by piece, never holding more than a few MiB. Where the source breaks off,
   * nothing is stored and its error is thrown on.
   */
  putStream(key: string, source: AsyncIterable<Uint8Array>): Effect.Effect<StoredBlob, BlobsUnavailable>;
  /** null where there is no such key. */
  get(key: string, range?: ByteRange): Effect.Effect<Uint8Array | null, BlobsUnavailable>;
  /**
   * The bytes as they are read; null where there is no such key. Whoever asks reads them or destroys what it was given:
   * a stream of Node's.
   */
  getStream(
    key: string,
    range?: ByteRange,
  ): Effect.Effect<AsyncIterable<Uint8Array> | null, BlobsUnavailable>;
  delete(key: string): Effect.Effect<void, BlobsUnavailable>;
  /** Removes what puts that broke off before then have left behind. */
  tidy(before: Instant): Effect.Effect<void, BlobsUnavailable>;
}
