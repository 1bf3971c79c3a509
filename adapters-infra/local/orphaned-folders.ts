import { lstat, readdir, readlink, rm, rmdir, unlink } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processTable } from "./process-table.ts";

/** Begins the names of folders of pipes; a process id follows. Those of other containers cannot be looked up. */
export const streamFolders = async (): Promise<string> => {
  const space = /\d+/.exec(await readlink("/proc/self/ns/pid").catch(() => ""))?.[0] ?? "";
  return `boardroom-streams-${space}-`;
};

/** Of earlier versions, which made one for each process that starts programs, with one socket in it. */
const spawnerFolders = "boardroom-spawner-";

/** Removes what services that were killed have left in the temporary folder. */
export const clearOrphanedFolders = async (temporary = tmpdir()): Promise<void> => {
  const streams = await streamFolders();
  const table = processTable();
  for (const name of await readdir(temporary).catch(() => [])) {
    if (!name.startsWith(streams) && !name.startsWith(spawnerFolders)) continue;
    const folder = join(temporary, name);
    // A folder of that name may be an agent's, who could make it a link to others' files meanwhile.
    const found = await lstat(folder).catch(() => null);
    if (found === null || !found.isDirectory() || found.uid !== process.getuid?.()) continue;
    if (name.startsWith(spawnerFolders)) await removeSpawnerFolder(folder).catch(() => undefined);
    else if (table.find(Number.parseInt(name.slice(streams.length), 10)) === null)
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
};

/** Removes it unless a service answers there. */
const removeSpawnerFolder = async (folder: string): Promise<void> => {
  const socket = join(folder, "streams");
  if (await isDead(socket)) await unlink(socket);
  await rmdir(folder);
};

const isDead = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const connection = connect(socket)
      .on("connect", () => {
        connection.destroy();
        resolve(false);
      })
      .on("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
  });
