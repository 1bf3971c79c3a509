import * as Effect from "effect/Effect";
import type { BlobStore, BlobsUnavailable } from "../../../ports/blob-store.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { addSeconds } from "../../model/shared/instant.ts";
import { uploadSec } from "./receive-file.ts";

const sweepBatch = 100;

/** Deletes files that nothing refers to: broken or refused uploads, deleted files. */
export const sweepFiles =
  (context: UseCaseContext, blobs: BlobStore) => (): Effect.Effect<void, BlobsUnavailable> =>
    Effect.gen(function* () {
      const at = context.clock.now();
      for (;;) {
        const due = yield* context.transactor.transact(({ files }) => files.discardDue(at, sweepBatch));
        yield* Effect.forEach(due, (blobKey) => blobs.delete(blobKey), { concurrency: 8, discard: true });
        if (due.length > 0) yield* context.transactor.transact(({ files }) => files.forgetLoose(due));
        if (due.length < sweepBatch) break;
      }
      yield* blobs.tidy(addSeconds(at, -uploadSec));
    });
