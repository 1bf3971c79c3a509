import * as Effect from "effect/Effect";
import type { BlobStore, BlobsUnavailable } from "../../../ports/blob-store.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
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
  (context: UseCaseContext, blobs: BlobStore) =>
  ({ bytes, ...file }: IncomingFile): Effect.Effect<ReceivedFile, BlobsUnavailable> =>
    Effect.gen(function* () {
      const at = context.clock.now();
      const blobKey = `files/${at.slice(0, 10).replaceAll("-", "/")}/${context.ids.newId<"blob">()}`;
      yield* context.transactor.transact(({ files }) => files.addLoose(blobKey, addSeconds(at, uploadSec)));
      const stored = yield* blobs.putStream(blobKey, bytes);
      return { ...file, ...stored, blobKey, provider: blobs.provider };
    });
