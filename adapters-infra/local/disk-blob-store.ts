import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import type { Instant } from "../../core/model/shared/instant.ts";
import { type BlobStore, BlobsUnavailable } from "../../ports/blob-store.ts";

/** Keys are paths of plain segments that cannot leave the folder. */
const plainKey = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

const draftEnd = ".draft";

/**
 * Stores blobs as files under one folder. Writes to a temporary file and renames it: a file is complete or absent.
 * `onFailure` receives errors of the disk.
 */
export const diskBlobStore = (folder: string, onFailure: (error: unknown) => void = () => {}): BlobStore => {
  /** Reports errors of the system as a failure; rethrows all others, such as a broken source. */
  const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, BlobsUnavailable> =>
    Effect.tryPromise({
      try: work,
      catch: (error) => {
        if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
        onFailure(error);
        return new BlobsUnavailable();
      },
    });
  const pathOf = (key: string): string => {
    if (!plainKey.test(key) || key.endsWith(draftEnd)) throw new Error(`not a blob key: ${key}`);
    return join(folder, key);
  };
  return {
    provider: "local_disk",
    put: (key, bytes) => attempt(() => writeWhole(pathOf(key), (file) => file.writeFile(bytes))),
    putStream: (key, source) => attempt(() => writeWhole(pathOf(key), (file) => writePieces(file, source))),
    get: (key, range) =>
      attempt(async () => {
        const file = await openIfThere(pathOf(key));
        if (file === null) return null;
        try {
          if (range === undefined) return await file.readFile();
          const bytes = Buffer.alloc(Math.max(0, range.end - range.start));
          const { bytesRead } = await file.read(bytes, 0, bytes.length, range.start);
          return bytes.subarray(0, bytesRead);
        } finally {
          await file.close();
        }
      }),
    getStream: (key, range) =>
      attempt(async () => {
        const file = await openIfThere(pathOf(key));
        if (file === null) return null;
        const { size } = await file.stat();
        const { start, end } = range ?? { start: 0, end: size };
        const byteSize = Math.max(0, Math.min(end, size) - start);
        const bytes = file.createReadStream(range === undefined ? {} : { start, end: end - 1 });
        return Object.assign(bytes, { byteSize });
      }),
    delete: (key) => attempt(() => rm(pathOf(key), { force: true })),
    tidy: (before) => attempt(() => removeDrafts(folder, before)),
  };
};

/** Writes a file that appears only when `write` has succeeded. */
const writeWhole = async <T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> => {
  const draft = `${path}.${randomBytes(6).toString("hex")}${draftEnd}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(draft, "wx", 0o600);
  try {
    const written = await write(file).finally(() => file.close());
    await rename(draft, path);
    return written;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};

const writePieces = async (file: FileHandle, source: Parameters<BlobStore["putStream"]>[1]) => {
  const hash = createHash("sha256");
  let byteSize = 0;
  for await (const piece of source) {
    hash.update(piece);
    byteSize += piece.byteLength;
    await file.writeFile(piece);
  }
  // The database row that follows says that the file exists.
  await file.sync();
  return { sha256: hash.digest("hex"), byteSize };
};

/** Removes the unfinished files of a service that was killed. */
const removeDrafts = async (folder: string, before: Instant): Promise<void> => {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  for (const name of names.filter((each) => each.endsWith(draftEnd))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && found.mtime.toISOString() < before) await rm(path, { force: true });
  }
};

const openIfThere = async (path: string): Promise<FileHandle | null> => {
  try {
    return await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
};
