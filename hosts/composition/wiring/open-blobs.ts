import { join } from "node:path";
import * as Effect from "effect/Effect";
import { diskBlobStore } from "../../../adapters-infra/local/disk-blob-store.ts";
import { s3BlobStore } from "../../../adapters-infra/s3/blob-store.ts";
import { probeBucket } from "../../../adapters-infra/s3/probe-bucket.ts";
import type { BlobStore } from "../../../ports/blob-store.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { StartFailed } from "../start-failed.ts";

/** The store of files and logs that the settings name. */
export const openBlobs = (
  config: Pick<Config, "s3" | "dataDir">,
  onFailure?: (error: unknown) => void,
): BlobStore =>
  config.s3 === null
    ? diskBlobStore(join(config.dataDir, "blobs"), onFailure)
    : s3BlobStore(config.s3, onFailure);

/** Names at the start what a bucket refuses, rather than with the first run. A store that is only down may come back. */
export const probeBlobs = Effect.fnUntraced(function* ({ s3 }: Pick<Config, "s3">, log: Log) {
  if (s3 === null) return;
  const problem = yield* Effect.promise(() => probeBucket(s3));
  if (problem === null) return;
  if (problem.lasts) return yield* new StartFailed({ message: problem.message });
  log.error(problem.message);
});
