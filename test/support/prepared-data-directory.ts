import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";

/**
 * Makes a data directory whose database is initialised and migrated already, as after a first start: that takes a
 * service some seconds. Leaves a used one as it is. Where tests use another server than the embedded one, the database
 * is left to the first start.
 */
export const preparedDataDirectory = async (dataDir: string): Promise<string> => {
  const provided = inject("postgres");
  const prepared = "prepared" in provided ? provided.prepared : undefined;
  const isUsed = existsSync(join(dataDir, "database"));
  await mkdir(join(dataDir, "database"), { recursive: true, mode: 0o700 });
  if (prepared !== undefined && !isUsed)
    // Preserves owners: the engine of root runs as another user.
    await promisify(execFile)("cp", [
      "-a",
      join(prepared, "cluster"),
      join(prepared, "password"),
      join(dataDir, "database"),
    ]);
  return dataDir;
};
