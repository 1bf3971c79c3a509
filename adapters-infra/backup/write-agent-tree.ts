import { constants, type Stats } from "node:fs";
import { chmod, lchown, lstat, lutimes, mkdir, open, symlink } from "node:fs/promises";
import type { Member } from "./archive-member.ts";
import { wholeOf } from "./archive-writer.ts";
import { BackupUnusable } from "./backup-failures.ts";

/** A backup of a tree that changed meanwhile may hold a name twice, as a folder and as something else. */
const nameExists = (error: unknown): boolean =>
  ["EEXIST", "ENOTDIR", "ELOOP", "ENAMETOOLONG"].includes((error as NodeJS.ErrnoException).code ?? "");

/**
 * Writes entries below `root`, which nobody else may change meanwhile, with owner (where the process is root), mode and
 * time. Goes through folders alone, never through a link of the backup, and replaces nothing. Returns how many entries
 * found their names taken.
 */
export const writeAgentTree = async (
  root: string,
  folders: readonly string[],
  entries: AsyncIterable<Member>,
): Promise<number> => {
  let parentMade = "";
  let skipped = 0;
  for await (const entry of entries) {
    const segments = entry.name.split("/");
    const isPlain = segments.every(
      (each) => each !== "" && each !== "." && each !== ".." && !each.includes("\0"),
    );
    if (!isPlain || !folders.some((folder) => `${entry.name}/`.startsWith(`${folder}/`)))
      throw new BackupUnusable("The backup has a file whose name is not one of a data directory.");
    const inFolder = entry.kind === "folder" ? segments : segments.slice(0, -1);
    const parent = inFolder.join("/");
    try {
      if (parent !== parentMade) await makeFolders(root, inFolder);
      parentMade = parent;
      await write(pathOf(root, entry.name), entry);
    } catch (error) {
      if (!nameExists(error)) throw error;
      skipped += 1;
    }
  }
  return skipped;
};

const pathOf = (root: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, "latin1")]);

/** A folder comes after what is in it, because its mode may forbid to add something. */
const makeFolders = async (root: string, segments: readonly string[]): Promise<void> => {
  for (let depth = 1; depth <= segments.length; depth += 1) {
    const path = pathOf(root, segments.slice(0, depth).join("/"));
    const found: Stats | null = await lstat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    if (found === null) await mkdir(path, { mode: 0o700 });
    else if (!found.isDirectory()) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  }
};

const write = async (path: Buffer, member: Member): Promise<void> => {
  const { kind, mode, uid, gid, modifiedMs } = member;
  if (kind === "link") await symlink(await wholeOf(member.data()), path);
  else if (kind === "file") {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      for await (const piece of member.data()) await file.writeFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
  }
  // Only root gives files away.
  if (process.getuid?.() === 0) await lchown(path, uid, gid);
  if (kind !== "link") await chmod(path, mode & 0o777);
  // An agent may have set a time that another file system does not take.
  await lutimes(path, modifiedMs / 1000, modifiedMs / 1000).catch(() => {});
};
