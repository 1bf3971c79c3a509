import { chmod, chown, lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Subfolders of the data directory that the agents' users may enter. */
const walkedThrough = ["workspaces", "homes", "adapters", "skills", "agent-skills"];

/**
 * Lets the group of the agents' users enter the workspaces, homes, adapters and skills of the data directory, without
 * listing the directory. Everything else in it stays closed to other users.
 */
export const letAgentsThrough = async (dataDir: string, gid: number): Promise<void> => {
  for (const path of [dataDir, ...walkedThrough.map((name) => join(dataDir, name))]) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await chown(path, -1, gid);
    await chmod(path, 0o710);
  }
  for (const name of await readdir(dataDir)) {
    const path = join(dataDir, name);
    const found = await lstat(path);
    if (walkedThrough.includes(name) || found.isSymbolicLink() || (found.mode & 0o077) === 0) continue;
    await chmod(path, found.mode & 0o700);
  }
};
