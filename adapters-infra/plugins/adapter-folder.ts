import { randomUUID } from "node:crypto";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { join, relative } from "node:path";
import type { InstalledAdapter } from "../../ports/adapter-packages.ts";
import { packageContents, removePackages } from "./package-contents.ts";
import type { PluginDirectory } from "./plugin-directory.ts";
import { PluginRefusal } from "./plugin-manifest.ts";
import { type RegistryEntry, type RegistryFile, registryFile } from "./registry-file.ts";

export interface AdapterFolder {
  readonly file: RegistryFile;
  /** Lists the registered packages and restores links to local ones. Lists unusable ones too, with their problem. */
  readonly plugins: () => Promise<readonly PluginDirectory[]>;
  /** Moves a filled staging folder to the package's final location, read-only. */
  readonly install: (
    staging: string,
    entry: Pick<InstalledAdapter, "id" | "type" | "version">,
  ) => Promise<void>;
  /** Creates a fresh folder for an installation and removes it afterwards, unless it was moved. */
  readonly staged: <A>(work: (staging: string) => Promise<A>) => Promise<A>;
  /** Removes every package that is neither registered nor in use. */
  readonly sweep: (inUse: ReadonlySet<string>) => Promise<void>;
  /** Whether packages run as another user, who must be able to read them. */
  readonly isOpened: boolean;
}

export interface AdapterFolderOptions {
  /** The group that packages run as, where their user is not the service's. */
  readonly readers?: { readonly gid: number };
}

/** The adapter directory of a service. */
export const adapterFolder = (folder: string, { readers }: AdapterFolderOptions = {}): AdapterFolder => {
  const file = registryFile(join(folder, "registry.json"));
  const packages = join(folder, "packages");
  const staging = join(folder, "staging");
  const links = join(folder, "local");
  const staged = new Set<string>();

  /** Only the service may list it; the user who runs packages may pass through. */
  const make = async (path: string): Promise<void> => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (readers === undefined) return;
    await chown(path, -1, readers.gid);
    await chmod(path, 0o710);
  };
  const folderOf = ({ id, type, version }: Pick<InstalledAdapter, "id" | "type" | "version">): string =>
    join(packages, `${type}@${version}-${id.slice(-12)}`);

  const pluginOf = async (entry: RegistryEntry): Promise<PluginDirectory> => {
    const { type, packageName, localPath, version } = entry;
    const from = { type, packageName, localPath, version };
    if (localPath !== null) return linkedPlugin({ ...from, localPath }, join(links, type), make);
    const packageFolder = folderOf(entry);
    const directory = join(packageFolder, "node_modules", packageName ?? "");
    const check = () => checkFolder(entry, packageFolder);
    return { directory, source: "package", entry: { ...from, check } };
  };

  return {
    file,
    install: async (staging, entry) => {
      const path = folderOf(entry);
      const { mode } = await lstat(staging);
      // A read-only folder cannot be moved.
      await chmod(staging, mode | 0o200);
      await rename(staging, path);
      await chmod(path, mode & 0o555);
    },
    isOpened: readers !== undefined,
    plugins: async () => {
      const { entries, problems } = await file.read();
      return [
        ...(await Promise.all(entries.map(pluginOf))),
        ...problems.map(({ problem, ...from }) => ({
          directory: folder,
          source: from.localPath === null ? ("package" as const) : ("local" as const),
          entry: { ...from, version: null, problem },
        })),
      ];
    },
    staged: async (work) => {
      for (const path of [folder, packages, staging]) await make(path);
      const path = join(staging, randomUUID());
      staged.add(path);
      try {
        await make(path);
        return await work(path);
      } finally {
        await removePackages(path);
        staged.delete(path);
      }
    },
    sweep: async (inUse) => {
      for (const path of await children(staging)) if (!staged.has(path)) await removePackages(path);
      const { entries, isWhole } = await file.read();
      // An unreadable line may name any of them.
      if (!isWhole) return;
      await removeUnused(packages, { needed: new Set(entries.map(folderOf)), inUse });
      await removeLinks(
        links,
        entries.flatMap(({ localPath, type }) => (localPath === null ? [] : [type])),
      );
    },
  };
};

/** A package in a folder of the operator's, by a link of ours. */
const linkedPlugin = async (
  from: Pick<RegistryEntry, "type" | "packageName" | "version"> & { readonly localPath: string },
  directory: string,
  make: (path: string) => Promise<void>,
): Promise<PluginDirectory> => {
  const { localPath } = from;
  const problem = await link(localPath, directory, make).then(
    () => null,
    (error: Error) => error.message,
  );
  const check = async () =>
    (await realpath(localPath).catch(() => null)) === null ? `The folder ${localPath} does not exist.` : null;
  return { directory, source: "local", entry: problem === null ? { ...from, check } : { ...from, problem } };
};

/** Removes the packages that are not registered, unless their code runs. */
const removeUnused = async (
  packages: string,
  { needed, inUse }: { readonly needed: ReadonlySet<string>; readonly inUse: ReadonlySet<string> },
): Promise<void> => {
  for (const packageFolder of await children(packages)) {
    if (needed.has(packageFolder)) continue;
    const real = await realpath(packageFolder).catch(() => packageFolder);
    if ([...inUse].some((path) => !relative(real, path).startsWith(".."))) continue;
    await removePackages(packageFolder);
  }
};

const removeLinks = async (links: string, needed: readonly string[]): Promise<void> => {
  for (const path of await children(links))
    if (!needed.includes(relative(links, path)) && (await lstat(path)).isSymbolicLink())
      await rm(path, { force: true });
};

const children = async (path: string): Promise<readonly string[]> =>
  (await readdir(path).catch(() => [])).map((name) => join(path, name));

/** Returns a sentence where the folder differs from what was installed. */
const checkFolder = async (
  { packageName, contents }: RegistryEntry,
  folder: string,
): Promise<string | null> => {
  const again = `Install it again: boardroom adapters install --package-name ${packageName}`;
  const found = await realpath(folder).catch(() => null);
  if (found === null) return `The package ${packageName} is not installed here. ${again}`;
  if (contents === null) return null;
  const now = await packageContents(folder).catch((error: unknown) => {
    if (error instanceof PluginRefusal) return null;
    throw error;
  });
  return now === contents
    ? null
    : `The files of ${packageName} are not those that were installed; its code is not run. ${again}`;
};

/** A correct link stays. */
const link = async (target: string, path: string, make: (path: string) => Promise<void>): Promise<void> => {
  if ((await readlink(path).catch(() => null)) === target) return;
  await make(join(path, "../.."));
  await make(join(path, ".."));
  const found = await lstat(path).catch(() => null);
  if (found !== null && !found.isSymbolicLink()) throw new Error(`${path} is in the way of a link.`);
  const temporary = `${path}.${randomUUID()}`;
  await symlink(target, temporary);
  await rename(temporary, path);
};
