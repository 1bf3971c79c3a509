import * as Effect from "effect/Effect";
import type { BlobStore } from "../../ports/blob-store.ts";

/** A store of blobs for archives, which are streams and promises. */
export const blobBytes = (blobs: BlobStore) => ({
  /** null: there is no such blob. */
  read: (key: string) => Effect.runPromise(blobs.getStream(key)),
  write: (key: string, source: AsyncIterable<Uint8Array>) => Effect.runPromise(blobs.putStream(key, source)),
  remove: (key: string) => Effect.runPromise(blobs.delete(key)),
});
