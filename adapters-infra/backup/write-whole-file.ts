import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

const draftEnd = ".partial";
/** A draft that nobody has written to for this long is of a backup that was killed. */
const abandonedMs = 60 * 60_000;

export interface WrittenFile {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/**
 * Writes a file for its owner alone. The final name appears once all bytes are on the disk.
 */
export const writeWholeFile = async (
  folder: string,
  name: string,
  source: AsyncIterable<Uint8Array>,
): Promise<WrittenFile> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeAbandoned(folder);
  const path = join(folder, name);
  const draft = `${path}.${randomBytes(4).toString("hex")}${draftEnd}`;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    const written = await writeAll(file, source).finally(() => file.close());
    // Not a link, which shared folders of other systems lack; nobody else has the name.
    await rename(draft, path);
    return written;
  } finally {
    await rm(draft, { force: true });
    await syncFolder(folder);
  }
};

const writeAll = async (file: FileHandle, source: AsyncIterable<Uint8Array>): Promise<WrittenFile> => {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of source) {
    hash.update(piece);
    bytes += piece.byteLength;
    await file.writeFile(piece);
  }
  await file.sync();
  return { bytes, sha256: hash.digest("hex") };
};

export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

const removeAbandoned = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    if (!/^boardroom-.*\.partial$/.test(name)) continue;
    const found = await stat(join(folder, name)).catch(() => null);
    if (found !== null && found.mtimeMs < Date.now() - abandonedMs)
      await rm(join(folder, name), { force: true });
  }
};
