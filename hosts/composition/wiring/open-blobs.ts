import { join } from "node:path";
import { diskBlobStore } from "../../../adapters-infra/local/disk-blob-store.ts";
import { s3BlobStore } from "../../../adapters-infra/s3/blob-store.ts";
import type { BlobStore } from "../../../ports/blob-store.ts";
import type { Config } from "../config.ts";

/** The store of files and logs that the settings name. */
export const openBlobs = (
  config: Pick<Config, "s3" | "dataDir">,
  onFailure?: (error: unknown) => void,
): BlobStore =>
  config.s3 === null
    ? diskBlobStore(join(config.dataDir, "blobs"), onFailure)
    : s3BlobStore(config.s3, onFailure);
