import { constants } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { ExecuteContext } from "../../ports/agent-adapter.ts";
import { ConfigRefusal } from "./config.ts";

/** The size limit of any text. */
const maxBytes = 512 * 1024;

const unreadable = (path: string) =>
  new ConfigRefusal(
    "instructionsFilePath",
    `names a file that cannot be read: ${path}. It must be a text of at most 512 KiB which the agents' user may read.`,
  );

/**
 * Reads the file's text for a program, which may run on another machine. Reads nothing
 * that the agent's user may not read, and without such a user only what all users of the machine may read: a
 * configuration could otherwise name the service's keys, or a file of another company.
 * @throws ConfigRefusal
 */
export const readInstructions = async (
  path: string | undefined,
  user: ExecuteContext["user"],
): Promise<string | null> => {
  if (path === undefined) return null;
  const text = await readAs(path, user).catch(() => {
    throw unreadable(path);
  });
  return `${text.trimEnd()}\n\n(These instructions are from ${path}; relative references in them start at ${dirname(path)}.)`;
};

/** Checks the open file, so that it cannot be replaced in between, and for another user the folders above it. */
const readAs = async (path: string, user: ExecuteContext["user"]): Promise<string> => {
  // A pipe instead of a file would block the run.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!allows(found, 0o4, user)) throw new Error("not for that user");
    if (user !== undefined) {
      const opened = process.platform === "linux" ? `/proc/self/fd/${file.fd}` : path;
      for (let at = await realpath(opened); at !== dirname(at); at = dirname(at))
        if (!allows(await stat(dirname(at)), 0o1, user)) throw new Error("in a folder closed to that user");
    }
    if (!found.isFile() || found.size > maxBytes) throw new Error("not a text");
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
};

/** Whether the mode gives the user that right: 4 to read a file, 1 to enter a folder. */
const allows = (
  { uid, gid, mode }: { readonly uid: number; readonly gid: number; readonly mode: number },
  right: number,
  user: ExecuteContext["user"],
): boolean => (mode & (right << (uid === user?.uid ? 6 : gid === user?.gid ? 3 : 0))) !== 0;
