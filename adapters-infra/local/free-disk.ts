import { statfsSync } from "node:fs";
import { statfs } from "node:fs/promises";

const sharedMs = 2_000;

/**
 * Returns a function that says whether less than that is free on the folder's file system, as it was some seconds ago: a
 * file system that does not answer delays nobody.
 */
export const freeDisk = (folder: string, minBytes: number): (() => boolean) => {
  const isFew = ({ bavail, bsize }: { readonly bavail: number; readonly bsize: number }) =>
    bavail * bsize < minBytes;
  let isFull = isFew(statfsSync(folder));
  let at = performance.now();
  return () => {
    if (performance.now() - at > sharedMs) {
      at = performance.now();
      void statfs(folder).then(
        (found) => {
          isFull = isFew(found);
        },
        () => undefined,
      );
    }
    return isFull;
  };
};

/** Returns the free bytes of the folder's file system; null if they cannot be read. */
export const freeBytes = async (folder: string): Promise<number | null> => {
  const disk = await statfs(folder).catch(() => null);
  return disk === null ? null : disk.bavail * disk.bsize;
};
