import type * as Effect from "effect/Effect";
import type { BlobsUnavailable, ByteRange } from "../../../ports/blob-store.ts";

/** A file as an endpoint answers with it. */
export interface FileAnswer {
  readonly contentType: string;
  readonly filename: string | null;
  readonly byteSize: number;
  /** Tells apart what has been served under one address. */
  readonly sha256: string;
  /** Whether a browser may show it; else it is to save it. */
  readonly isShown: boolean;
  /** null where the bytes are gone. */
  readonly open: (range?: ByteRange) => Effect.Effect<AsyncIterable<Uint8Array> | null, BlobsUnavailable>;
}

/** A file as a caller is given it. */
export interface DownloadedFile {
  readonly contentType: string;
  readonly filename: string | null;
  readonly byteSize: number | null;
  readonly body: ReadableStream<Uint8Array>;
}
