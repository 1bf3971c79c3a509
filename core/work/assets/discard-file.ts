import * as Effect from "effect/Effect";
import type { BlobStore } from "../../../ports/blob-store.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { ReceivedFile } from "../../model/assets/asset.ts";

/** Deletes the file's bytes, unless they are in use. A later sweep deletes what fails now. */
export const discardFile =
  (context: UseCaseContext, blobs: BlobStore) =>
  ({ blobKey }: Pick<ReceivedFile, "blobKey">): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (!(yield* context.transactor.transact(({ files }) => files.discard(blobKey)))) return;
      yield* blobs.delete(blobKey);
      yield* context.transactor.transact(({ files }) => files.forgetLoose([blobKey]));
    }).pipe(Effect.catch(() => Effect.void));
