import type * as Effect from "effect/Effect";

/** Keeps bytes under keys. A key is visible only once all its bytes are stored. */
export interface BlobStore {
  put(key: string, bytes: Uint8Array): Effect.Effect<void>;
  /** The bytes from `start` up to and without `end`; null where there is no such key. */
  get(
    key: string,
    range?: { readonly start: number; readonly end: number },
  ): Effect.Effect<Uint8Array | null>;
  delete(key: string): Effect.Effect<void>;
}
