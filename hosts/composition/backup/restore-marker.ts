import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Lies in a data directory while a backup is restored into it. */
export const restoreMarker = "restoring";

/** The id of the restore that has not ended; null where all have ended. */
export const unfinishedRestore = async (dataDir: string): Promise<string | null> => {
  const text = await readFile(join(dataDir, restoreMarker), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  });
  return text === null ? null : text.trim();
};
