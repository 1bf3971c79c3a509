import type * as Effect from "effect/Effect";
import type { BlobsUnavailable, ByteRange } from "../../../ports/blob-store.ts";

/** The answer of a file endpoint. */
export interface FileAnswer {
  readonly contentType: string;
  readonly filename: string | null;
  readonly byteSize: number;
  /** Identifies the content, for the ETag. */
  readonly sha256: string;
  /** Whether a browser may show it; otherwise it saves it. */
  readonly isShown: boolean;
  /** null if the bytes are gone. */
  readonly open: (range?: ByteRange) => Effect.Effect<AsyncIterable<Uint8Array> | null, BlobsUnavailable>;
}

/** A downloaded file, as a caller receives it. */
export interface DownloadedFile {
  readonly contentType: string;
  readonly filename: string | null;
  readonly byteSize: number | null;
  readonly body: ReadableStream<Uint8Array>;
}
