import { constants, type Dirent } from "node:fs";
import { type FileHandle, lstat, open, opendir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Member } from "./archive-member.ts";

export interface LeftOut {
  readonly name: string;
  readonly why: "not_a_file" | "unreadable" | "too_deep";
}

/** Names a file without opening it (Linux), so that a pipe or a device does nothing. */
const pathOnly = 0o10000000;
/** Each level holds a descriptor. */
const maxDepth = 200;
/** Below what a path of Linux may have, so that a restore can name it. */
const maxNameBytes = 3_000;

/**
 * Reads files and all entries below folders of `root`, those of a folder before it. Programs of agents may change the tree
 * meanwhile: each entry is looked at and read by its descriptor, never by its path, so that no link leads elsewhere, and
 * a file that grows is read to the length that it had. `onLeftOut` gets everything else.
 */
export async function* treeEntries(
  root: string,
  folders: readonly string[],
  onLeftOut: (left: LeftOut) => void,
): AsyncGenerator<Member, void> {
  for (const folder of folders) {
    const found = await lstat(join(root, folder)).catch(() => null);
    if (found?.isDirectory() || found?.isFile())
      yield* entryAt(Buffer.from(root), Buffer.from(folder), folder, 0, onLeftOut);
  }
}

const opened = (path: Buffer): Promise<FileHandle | null> =>
  open(
    path,
    (process.platform === "linux" ? pathOnly : constants.O_RDONLY | constants.O_NONBLOCK) |
      constants.O_NOFOLLOW,
  ).catch(() => null);

/** `parent`: a path that means the parent whatever is moved; without /proc, its path. */
async function* entryAt(
  parent: Buffer,
  base: Buffer,
  name: string,
  depth: number,
  onLeftOut: (left: LeftOut) => void,
): AsyncGenerator<Member, void> {
  const path = Buffer.concat([parent, Buffer.from("/"), base]);
  const handle = await opened(path);
  if (handle === null) {
    // A link cannot be opened everywhere, and one that is gone was deleted meanwhile.
    if ((await lstat(path).catch(() => null)) !== null) onLeftOut({ name, why: "unreadable" });
    return;
  }
  try {
    const found = await handle.stat();
    const entry = {
      name,
      mode: found.mode & 0o777,
      uid: found.uid,
      gid: found.gid,
      modifiedMs: Math.trunc(found.mtimeMs),
    };
    const itself = process.platform === "linux" ? Buffer.from(`/proc/self/fd/${handle.fd}`) : path;
    if (found.isFile()) {
      const file = await open(itself, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
      if (file === null) return onLeftOut({ name, why: "unreadable" });
      try {
        yield { ...entry, kind: "file", bytes: found.size, data: () => bytesOf(file, found.size) };
      } finally {
        await file.close();
      }
    } else if (found.isSymbolicLink()) {
      const target = await readlink(path, { encoding: "buffer" }).catch(() => null);
      // Replaced meanwhile.
      if (target === null) return onLeftOut({ name, why: "unreadable" });
      yield { ...entry, kind: "link", bytes: target.length, data: () => once(target) };
    } else if (found.isDirectory()) {
      if (depth >= maxDepth || name.length > maxNameBytes) return onLeftOut({ name, why: "too_deep" });
      yield* entriesIn(itself, name, depth + 1, onLeftOut);
      yield { ...entry, kind: "folder", bytes: 0, data: () => once(null) };
    } else onLeftOut({ name, why: "not_a_file" });
  } finally {
    await handle.close();
  }
}

async function* entriesIn(
  folder: Buffer,
  name: string,
  depth: number,
  onLeftOut: (left: LeftOut) => void,
): AsyncGenerator<Member, void> {
  // The types of Node 20 know names as text alone.
  const listed = await opendir(folder, { encoding: "buffer" as "utf8" }).catch(() => null);
  if (listed === null) return onLeftOut({ name, why: "unreadable" });
  for await (const { name: given } of listed as AsyncIterable<Dirent>) {
    const base = Buffer.from(given as unknown as Uint8Array);
    yield* entryAt(folder, base, `${name}/${base.toString("latin1")}`, depth, onLeftOut);
  }
}

const pieceBytes = 256 * 1024;

async function* bytesOf(file: FileHandle, bytes: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes; ) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, bytes - at));
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    // One that has shrunk gets zeros, as from tar: its length stands before its bytes.
    const read = bytesRead === 0 ? piece.fill(0) : piece.subarray(0, bytesRead);
    at += read.length;
    yield read;
  }
}

async function* once(data: Buffer | null): AsyncGenerator<Buffer, void> {
  if (data !== null) yield data;
}
