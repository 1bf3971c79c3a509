import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";

/** Lets the services of two data directories run agents in the same workspaces and homes, as on a shared disk. */
export const shareWorkspaces = async (dataDir: string, withDataDir: string): Promise<void> => {
  for (const name of ["workspaces", "homes"]) {
    await mkdir(join(withDataDir, name), { recursive: true, mode: 0o700 });
    await symlink(join(withDataDir, name), join(dataDir, name));
  }
};
