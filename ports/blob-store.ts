import type * as Effect from "effect/Effect";
import { refusal } from "../core/model/shared/failure.ts";
import type { Instant } from "../core/model/shared/instant.ts";

/** The disk is full, the bucket does not answer, or its credentials are invalid. The service's log names the cause. */
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

/** From `start` (inclusive) to `end` (exclusive), in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The bytes of a blob, and how many they are. */
export interface BlobStream extends AsyncIterable<Uint8Array> {
  readonly byteSize: number;
}

/** Stores bytes under keys. A key is visible only once all its bytes are stored. */
export interface BlobStore {
  /** The provider's name in the interface. */
  readonly provider: "local_disk" | "s3";
  /** The caller may change the bytes once it has ended. */
  put(key: string, bytes: Uint8Array): Effect.Effect<void, BlobsUnavailable>;
  /**
   * Stores the chunks of the source with at most a few MiB in memory. When the source fails, stores nothing and
   * rethrows its error.
   */
  putStream(key: string, source: AsyncIterable<Uint8Array>): Effect.Effect<StoredBlob, BlobsUnavailable>;
  /** Returns null where there is no such key. */
  get(key: string, range?: ByteRange): Effect.Effect<Uint8Array | null, BlobsUnavailable>;
  /**
   * Returns the bytes as a Node stream; null where there is no such key. The caller must read or destroy the stream.
   */
  getStream(key: string, range?: ByteRange): Effect.Effect<BlobStream | null, BlobsUnavailable>;
  delete(key: string): Effect.Effect<void, BlobsUnavailable>;
  /** Removes leftovers of puts that were interrupted before then. */
  tidy(before: Instant): Effect.Effect<void, BlobsUnavailable>;
}
