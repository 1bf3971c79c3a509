import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProgramFile } from "../../ports/agent-adapter.ts";
import { firstClosed } from "../local/start-process.ts";
import type { HelperFile } from "./protocol.ts";

/** The specification of a program, which holds its files, has a limit of its own on engines. */
const maxFileBytes = 16 * 2 ** 20;
/** Entries of a folder. */
const maxEntries = 1_000;

/** Has the rights of others alone. */
const anyUser = { uid: -1, gid: -1 };

/**
 * Reads files and folders of the service for a program elsewhere. Sends nothing that not everybody on this machine may
 * read: a configuration could name the service's keys. Only the skills, which are offered to agents, may lie in a closed
 * folder, as the data directory is.
 */
export const collectFiles = async (
  files: readonly ProgramFile[],
  skills: string,
): Promise<readonly HelperFile[]> =>
  (
    await Promise.all(
      files.map((file) =>
        "text" in file
          ? [{ path: file.path, executable: false, base64: Buffer.from(file.text).toString("base64") }]
          : collect(file.source, file.path, skills),
      ),
    )
  ).flat();

const collect = async (source: string, path: string, skills: string): Promise<readonly HelperFile[]> => {
  const found = await lstat(source).catch(() => null);
  if (found === null) throw new Error(`There is no file ${source}.`);
  if (found.isDirectory()) {
    const names = (await readdir(source)).sort();
    if (names.length > maxEntries)
      throw new Error(`${source} has more than ${maxEntries} entries, so that it is not sent.`);
    return (
      await Promise.all(names.map((name) => collect(join(source, name), join(path, name), skills)))
    ).flat();
  }
  if (!found.isFile()) throw new Error(`${source} is no file and no folder, so that it is not sent.`);
  // A pipe that takes its place would hold up the service.
  const file = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    // Of the open file, so that it cannot be replaced in between.
    const opened = await file.stat();
    if (!opened.isFile() || opened.size > maxFileBytes)
      throw new Error(
        `${source} is larger than ${maxFileBytes / 2 ** 20} MiB or no file, so that it is not sent.`,
      );
    const closed = await firstClosed(
      dirname(await realpath(process.platform === "linux" ? `/proc/self/fd/${file.fd}` : source)),
      anyUser,
      await realpath(skills).catch(() => skills),
    );
    if ((opened.mode & 0o004) === 0 || closed !== null)
      throw new Error(`${source} may not be read by all users of this machine, so that it is not sent.`);
    const content = await file.read(Buffer.alloc(opened.size), 0, opened.size, 0);
    const base64 = content.buffer.subarray(0, content.bytesRead).toString("base64");
    return [{ path, executable: (opened.mode & 0o001) !== 0, base64 }];
  } finally {
    await file.close();
  }
};
