import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import type { BlobStore } from "../../ports/blob-store.ts";

/** Keys are paths of plain segments: nothing that could climb out of the folder. */
const plainKey = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Blobs as files under one folder. Written beside and renamed into place: a file is whole or not there. */
export const diskBlobStore = (folder: string): BlobStore => {
  const pathOf = (key: string): string => {
    if (!plainKey.test(key)) throw new Error(`not a blob key: ${key}`);
    return join(folder, key);
  };
  return {
    put: (key, bytes) =>
      Effect.promise(async () => {
        const path = pathOf(key);
        const draft = `${path}.${randomBytes(6).toString("hex")}.draft`;
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        const file = await open(draft, "wx", 0o600);
        try {
          await file.writeFile(bytes);
        } finally {
          await file.close();
        }
        await rename(draft, path);
      }),
    get: (key, range) =>
      Effect.promise(async () => {
        let file: Awaited<ReturnType<typeof open>>;
        try {
          file = await open(pathOf(key), "r");
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
          throw error;
        }
        try {
          if (range === undefined) return await file.readFile();
          const bytes = Buffer.alloc(Math.max(0, range.end - range.start));
          const { bytesRead } = await file.read(bytes, 0, bytes.length, range.start);
          return bytes.subarray(0, bytesRead);
        } finally {
          await file.close();
        }
      }),
    delete: (key) => Effect.promise(() => rm(pathOf(key), { force: true })),
  };
};
