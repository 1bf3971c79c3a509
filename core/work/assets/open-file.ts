import type { BlobStore, ByteRange } from "../../../ports/blob-store.ts";
import type { Asset } from "../../model/assets/asset.ts";

/** Streams the bytes of a file; null where they do not exist. */
export const openFile =
  (blobs: BlobStore) =>
  ({ blobKey }: Pick<Asset, "blobKey">, range?: ByteRange) =>
    blobs.getStream(blobKey, range);
