import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, lstat, readdir, readlink, realpath, rm } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { PluginRefusal } from "./plugin-manifest.ts";

const maxFiles = 50_000;
const maxBytes = 1024 ** 3;

/**
 * Hashes a folder of installed packages: paths, files and links, in order. Rejects other kinds of entries and links
 * that lead out of the folder.
 * @throws PluginRefusal
 */
export const packageContents = async (
  folder: string,
  /** `sealed` makes all of it read-only; `opened` makes it readable for other users. */
  { sealed = false, opened = false }: { readonly sealed?: boolean; readonly opened?: boolean } = {},
): Promise<string> => {
  const root = await realpath(folder);
  const all = createHash("sha256");
  let files = 0;
  let bytes = 0;
  const walk = async (directory: string): Promise<void> => {
    const names = (await readdir(directory)).sort();
    for (const name of names) {
      const path = join(directory, name);
      const found = await lstat(path);
      files += 1;
      if (files > maxFiles) throw new PluginRefusal(`It contains more than ${maxFiles} files.`);
      all.update(`${relative(root, path)}\0`);
      if (found.isDirectory()) {
        all.update("folder\0");
        await walk(path);
        if (sealed) await chmod(path, modeOf(found.mode, opened ? 0o055 : 0));
      } else if (found.isFile()) {
        bytes += found.size;
        if (bytes > maxBytes) throw new PluginRefusal("It contains more than 1 GiB.");
        if (sealed) await chmod(path, modeOf(found.mode, opened ? 0o044 : 0));
        const one = createHash("sha256");
        await pipeline(createReadStream(path), one);
        all.update(`file\0${one.digest("hex")}\0`);
      } else if (found.isSymbolicLink()) {
        const target = await realpath(path).catch(() => null);
        const steps = target === null ? ".." : relative(root, target);
        if (steps === ".." || steps.startsWith("../") || isAbsolute(steps))
          throw new PluginRefusal(`It contains a link that leads out of it: ${relative(root, path)}.`);
        all.update(`link\0${await readlink(path)}\0`);
      } else
        throw new PluginRefusal(
          `It contains an entry that is neither file nor folder: ${relative(root, path)}.`,
        );
    }
  };
  await walk(root);
  if (sealed) await chmod(root, modeOf((await lstat(root)).mode, 0));
  return `sha256-${all.digest("base64")}`;
};

/** Removes write permission and sets these read permissions. */
const modeOf = (mode: number, readable: number): number => (mode | readable) & 0o555;

/** Removes a folder of packages, read-only or not. */
export const removePackages = async (folder: string): Promise<void> => {
  const open = async (directory: string): Promise<void> => {
    await chmod(directory, 0o700);
    for (const entry of await readdir(directory, { withFileTypes: true }))
      if (entry.isDirectory()) await open(join(directory, entry.name));
  };
  await open(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rm(folder, { recursive: true, force: true });
};
