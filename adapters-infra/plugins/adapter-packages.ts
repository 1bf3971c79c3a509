import { randomUUID } from "node:crypto";
import { lstat, mkdir, readlink, realpath, rename, rm, symlink } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import * as Effect from "effect/Effect";
import {
  AdapterBuiltIn,
  AdapterNotFound,
  AdapterNotInstallable,
  AdapterTypeTaken,
} from "../../core/adapters/adapter.ts";
import type { AdapterPackages, InstallAdapter, InstalledAdapter } from "../../ports/adapter-packages.ts";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import { npmInstall } from "./npm-install.ts";
import { inspectPlugin, type PluginDirectory } from "./plugin-loader.ts";
import { PluginRefusal, readPluginManifest } from "./plugin-manifest.ts";
import { type RegistryFile, registryFile } from "./registry-file.ts";

export interface AdapterFolder {
  readonly file: RegistryFile;
  /** Where the package of an entry lies. */
  readonly placeOf: (entry: InstalledAdapter) => string;
  /** The packages written down, links to local ones made good. */
  readonly plugins: () => Promise<readonly PluginDirectory[]>;
  readonly staging: () => string;
}

/** The adapter directory of a service. */
export const adapterFolder = (folder: string, onProblem: (message: string) => void): AdapterFolder => {
  const file = registryFile(join(folder, "registry.json"), onProblem);
  const placeOf = ({ type, packageName, localPath, version }: InstalledAdapter) =>
    localPath !== null
      ? join(folder, "local", type)
      : join(folder, "packages", `${type}@${version}`, "node_modules", packageName ?? "");
  return {
    file,
    placeOf,
    staging: () => join(folder, "staging", randomUUID()),
    plugins: async () => {
      const entries = await file.read();
      return Promise.all(
        entries.map(async (entry) => {
          const directory = placeOf(entry);
          if (entry.localPath !== null)
            await link(entry.localPath, directory).catch((error) => onProblem(String(error)));
          return { directory, source: entry.localPath === null ? "package" : "local" } as const;
        }),
      );
    },
  };
};

/** A link that is right is left alone. */
const link = async (target: string, path: string): Promise<void> => {
  if ((await readlink(path).catch(() => null)) === target) return;
  await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  const found = await lstat(path).catch(() => null);
  if (found !== null && !found.isSymbolicLink()) throw new Error(`${path} is in the way of a link.`);
  const beside = `${path}.${randomUUID()}`;
  await symlink(target, beside);
  await rename(beside, path);
};

export const adapterPackages = (
  adapters: AdapterRegistry,
  folder: AdapterFolder,
  hostEnv: Readonly<Record<string, string>>,
): AdapterPackages => {
  const { file, placeOf } = folder;
  // One after the other: each reads the file, changes it and writes it.
  let last: Promise<unknown> = Promise.resolve();
  const alone = <A, T extends new (...args: never[]) => unknown>(
    work: () => Promise<A>,
    refusals: readonly T[],
  ): Effect.Effect<A, InstanceType<T>> =>
    Effect.tryPromise({
      try: () => {
        const mine = last.then(work, work);
        last = mine.catch(() => undefined);
        return mine;
      },
      catch: (error) => error,
    }).pipe(
      Effect.catch((error) => {
        const known =
          error instanceof PluginRefusal ? new AdapterNotInstallable(undefined, error.message) : error;
        return refusals.some((type) => known instanceof type)
          ? Effect.fail(known as InstanceType<T>)
          : Effect.die(known);
      }),
    );

  const installed = async (type: string): Promise<InstalledAdapter> => {
    const entry = (await file.read()).find((candidate) => candidate.type === type);
    if (entry !== undefined) return entry;
    throw adapters.loaded().get(type)?.source === "builtin" ? new AdapterBuiltIn() : new AdapterNotFound();
  };

  const reloaded = async (type: string): Promise<void> => {
    await Effect.runPromise(adapters.loadAll(type));
    if (!adapters.loaded().has(type))
      throw new PluginRefusal(`The adapter ${type} could not be loaded; the service's log says why.`);
  };

  const checkFree = async (type: string, isItself: (entry: InstalledAdapter) => boolean): Promise<void> => {
    const entry = (await file.read()).find((candidate) => candidate.type === type);
    const taken = entry === undefined ? adapters.loaded().has(type) : !isItself(entry);
    if (taken)
      throw new AdapterTypeTaken({ type }, `Another adapter has the type ${type} already. Types are unique.`);
  };

  const record = async (entry: InstalledAdapter): Promise<InstalledAdapter> => {
    const before = await file.read();
    await file.write([...before.filter(({ type }) => type !== entry.type), entry]);
    await reloaded(entry.type);
    return entry;
  };

  const installLocal = async (id: string, path: string): Promise<InstalledAdapter> => {
    if (!isAbsolute(path)) throw new PluginRefusal("localPath must be an absolute path.");
    const localPath = await realpath(path).catch(() => {
      throw new PluginRefusal(`The folder ${path} does not exist.`);
    });
    const manifest = await readPluginManifest(localPath);
    const { type } = await inspectPlugin(manifest, hostEnv);
    await checkFree(type, (entry) => entry.localPath === localPath);
    const installedAt = new Date().toISOString();
    const { version } = manifest;
    return record({ id, packageName: null, localPath, type, version, installedAt, integrity: null });
  };

  const installPackage = async (id: string, packageName: string): Promise<InstalledAdapter> => {
    const staging = folder.staging();
    try {
      const { name, version, integrity, directory } = await npmInstall(packageName, staging);
      const { type } = await inspectPlugin(await readPluginManifest(directory), hostEnv);
      await checkFree(type, (entry) => entry.packageName === name);
      const installedAt = new Date().toISOString();
      const entry = { id, packageName: name, localPath: null, type, version, installedAt, integrity };
      const place = join(placeOf(entry), ...name.split("/").map(() => ".."), "..");
      await mkdir(join(place, ".."), { recursive: true, mode: 0o700 });
      await rm(place, { recursive: true, force: true });
      await rename(staging, place);
      return await record(entry);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  };

  return {
    installed: (id) =>
      Effect.promise(async () => (await file.read()).find((entry) => entry.id === id) ?? null),
    install: ({ id, packageName, localPath }: InstallAdapter) =>
      alone(async () => {
        if ((packageName === undefined) === (localPath === undefined))
          throw new PluginRefusal("Name exactly one of packageName and localPath.");
        return localPath === undefined ? installPackage(id, packageName ?? "") : installLocal(id, localPath);
      }, [AdapterNotInstallable, AdapterTypeTaken]),
    remove: (type) =>
      alone(async () => {
        const entry = await installed(type);
        await file.write((await file.read()).filter((candidate) => candidate.type !== type));
        await Effect.runPromise(adapters.loadAll());
        const place = placeOf(entry);
        await (entry.localPath === null
          ? rm(join(place, ...(entry.packageName ?? "").split("/").map(() => ".."), ".."), {
              recursive: true,
              force: true,
            })
          : rm(place, { force: true }));
      }, [AdapterNotFound, AdapterBuiltIn]),
    reload: (type) =>
      alone(async () => {
        const entry = await installed(type);
        await reloaded(type);
        return { ...entry, version: adapters.loaded().get(type)?.version ?? entry.version };
      }, [AdapterNotFound, AdapterBuiltIn, AdapterNotInstallable]),
  };
};
