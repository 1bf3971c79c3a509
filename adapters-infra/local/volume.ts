import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import { isUuid, type VolumeId } from "../../core/model/shared/ids.ts";
import { createFileOnce } from "./create-file-once.ts";

/** The file in each folder that identifies it, wherever it is mounted. */
const idFile = ".boardroom-volume";

/** The folders cannot be used, or one has a broken id. */
class VolumeUnusable extends Data.TaggedError("VolumeUnusable")<{ readonly message: string }> {}

/**
 * Returns the id of the volume that these folders make together; creates missing folders and ids. Services that share
 * all of them get the same id, and services that share only some do not.
 */
export const openVolume = (folders: readonly string[]): Effect.Effect<VolumeId, VolumeUnusable> =>
  Effect.tryPromise({
    try: async () => {
      const ids: string[] = [];
      for (const folder of folders) ids.push(await idOf(folder));
      return uuidFrom(ids);
    },
    catch: (error) =>
      error instanceof VolumeUnusable ? error : new VolumeUnusable({ message: (error as Error).message }),
  });

const idOf = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, idFile);
  const found = (await read(path)) ?? (await create(path));
  if (isUuid(found)) return found;
  throw new VolumeUnusable({
    message: `The file ${path} does not hold the id of its folder. Restore it; or delete it, then agents lose what is in the folder.`,
  });
};

const read = (path: string): Promise<string | null> =>
  readFile(path, "utf8").then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    },
  );

/** Several services may create it at once, in a folder that they share: all get the id of the first. */
const create = async (path: string): Promise<string> => {
  await createFileOnce(path, `${randomUUID()}\n`);
  return (await read(path)) ?? "";
};

const uuidFrom = (ids: readonly string[]): VolumeId => {
  const digits = createHash("sha256").update(ids.join("\n")).digest("hex");
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `8${digits.slice(17, 20)}`, digits.slice(20, 32)].join("-") as VolumeId;
};
