import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";

/**
 * Makes a data directory whose database is initialised and migrated already, as after a first start: that takes a
 * service some seconds. Where tests use another server than the embedded one, the directory is empty.
 */
export const preparedDataDirectory = async (dataDir: string): Promise<string> => {
  const provided = inject("postgres");
  const prepared = "prepared" in provided ? provided.prepared : undefined;
  await mkdir(join(dataDir, "database"), { recursive: true, mode: 0o700 });
  if (prepared !== undefined)
    // Preserves owners: the engine of root runs as another user.
    await promisify(execFile)("cp", [
      "-a",
      join(prepared, "cluster"),
      join(prepared, "password"),
      join(dataDir, "database"),
    ]);
  return dataDir;
};
