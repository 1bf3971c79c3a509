import { constants } from "node:fs";
import { chmod, chown, lstat, mkdir, open, opendir } from "node:fs/promises";
import type { AgentUser } from "../../ports/agent-adapter.ts";

/** Names a file without opening it (Linux), so that a pipe or a device does nothing. */
const pathOnly = 0o10000000;
/** Deeper folders keep their owner: each level takes descriptors. */
const maxDepth = 200;

/** Creates a folder below one of the service's, for that user alone; null: for the service's own. */
export const ownFolder = async (path: string, user: AgentUser | null): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  // Agents cannot replace the folder itself, whose parent is the service's; they can change its mode.
  const found = await lstat(path);
  if (found.isDirectory() && (found.mode & 0o7777) !== 0o700) await chmod(path, 0o700);
  if (user === null || found.uid === user.uid) return;
  // Agents ran as another user or as the service before.
  if (process.platform === "linux") await give(path, found.uid, user, 0);
  await chown(path, user.uid, user.gid);
};

/**
 * Gives the user what the owner has in a folder. Programs of the owner may still change it: each entry is looked at and
 * given by its descriptor, never by its path, so that no link leads elsewhere. Files with several hard links keep their
 * owner, because a link may lie elsewhere.
 */
const give = async (folder: string, owner: number, user: AgentUser, depth: number): Promise<void> => {
  if (depth > maxDepth) return;
  for await (const { name } of await opendir(folder)) {
    const entry = await open(`${folder}/${name}`, pathOnly | constants.O_NOFOLLOW).catch(() => null);
    if (entry === null) continue;
    try {
      const found = await entry.stat();
      const itself = `/proc/self/fd/${entry.fd}`;
      if (found.isDirectory()) await give(itself, owner, user, depth + 1);
      if (found.uid === owner && (found.isDirectory() || found.nlink === 1))
        await chown(itself, user.uid, user.gid);
    } finally {
      await entry.close();
    }
  }
};
