import * as Effect from "effect/Effect";
import type { BlobStore, BlobsUnavailable } from "../../../ports/blob-store.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { ReceivedFile } from "../../model/assets/asset.ts";
import { addSeconds } from "../../model/shared/instant.ts";

export interface IncomingFile {
  readonly filename: string | null;
  readonly contentType: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The time after which an unfinished upload counts as abandoned; far longer than a request may last. */
export const uploadSec = 60 * 60;

/** Stores a file as it arrives. It is loose until a transaction refers to it, and a sweep deletes loose files. */
export const receiveFile =
  (transactor: Transactor, clock: Clock, ids: Ids, blobs: BlobStore) =>
  ({ bytes, ...file }: IncomingFile): Effect.Effect<ReceivedFile, BlobsUnavailable> =>
    Effect.gen(function* () {
      const at = clock.now();
      const blobKey = `files/${at.slice(0, 10).replaceAll("-", "/")}/${ids.next<"blob">()}`;
      yield* transactor.transact(({ files }) => files.addLoose(blobKey, addSeconds(at, uploadSec)));
      const stored = yield* blobs.putStream(blobKey, bytes);
      return { ...file, ...stored, blobKey, provider: blobs.provider };
    });
