import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Lies in a data directory while a backup is restored into it. */
export const restoreMarker = "restoring";

/** Lies in a data directory while a rolled back upgrade gives its place up; names the folder that it moves to. */
export const rollbackMarker = "rolling-back";

/** A restore writes these into the data directory. */
export const writtenByRestore = [
  "adapters",
  "blobs",
  "database",
  "homes",
  "runners",
  "skills",
  "workspaces",
] as const;

/** The command that must be repeated before a service may start; null where none was interrupted. */
export const interruptedCommand = async (dataDir: string): Promise<"restore" | "upgrade rollback" | null> => {
  if ((await unfinishedRestore(dataDir)) !== null) return "restore";
  return (await lstat(join(dataDir, rollbackMarker)).catch(() => null)) === null ? null : "upgrade rollback";
};

/** The id of the restore that has not ended; null where all have ended. */
export const unfinishedRestore = async (dataDir: string): Promise<string | null> => {
  const text = await readFile(join(dataDir, restoreMarker), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  });
  return text === null ? null : text.trim();
};
