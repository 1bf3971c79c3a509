import * as Effect from "effect/Effect";
import type { BlobStore } from "../../../ports/blob-store.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { ReceivedFile } from "../../model/assets/asset.ts";

/** Deletes the file's bytes, unless they are in use. A later sweep deletes what fails now. */
export const discardFile =
  (transactor: Transactor, blobs: BlobStore) =>
  ({ blobKey }: Pick<ReceivedFile, "blobKey">): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (!(yield* transactor.transact(({ files }) => files.discard(blobKey)))) return;
      yield* blobs.delete(blobKey);
      yield* transactor.transact(({ files }) => files.forgetLoose([blobKey]));
    }).pipe(Effect.catch(() => Effect.void));
