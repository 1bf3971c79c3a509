import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import * as Effect from "effect/Effect";
import {
  AdapterBuiltIn,
  AdapterNotFound,
  AdapterNotInstallable,
  AdapterTypeTaken,
} from "../../core/model/adapters/adapter.ts";
import type { AdapterPackages, InstallAdapter, InstalledAdapter } from "../../ports/adapter-packages.ts";
import type { AdapterFolder } from "./adapter-folder.ts";
import { npmInstall } from "./npm-install.ts";
import type { Hosts } from "./open-plugin.ts";
import { packageContents } from "./package-contents.ts";
import { inspectPlugin, type PluginLoader } from "./plugin-loader.ts";
import { PluginRefusal, readPluginManifest } from "./plugin-manifest.ts";
import type { RegistryEntry } from "./registry-file.ts";

export const adapterPackages = (
  adapters: PluginLoader,
  folder: AdapterFolder,
  hosts: Hosts,
): AdapterPackages => {
  const { file, staged } = folder;
  const outcome = <A, T extends new (...args: never[]) => unknown>(
    work: (interrupted: AbortSignal) => Promise<A>,
    refusals: readonly T[],
  ): Effect.Effect<A, InstanceType<T>> =>
    Effect.tryPromise({ try: work, catch: (error) => error }).pipe(
      Effect.catch((error) => {
        const known =
          error instanceof PluginRefusal ? new AdapterNotInstallable(undefined, error.message) : error;
        return refusals.some((type) => known instanceof type)
          ? Effect.fail(known as InstanceType<T>)
          : Effect.die(known);
      }),
    );
  // Changes run one after the other: each reads the file, changes it and writes it. Slow work happens before.
  let last: Promise<unknown> = Promise.resolve();
  const alone = <A>(work: () => Promise<A>): Promise<A> => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };

  const entries = async () => (await file.read()).entries;
  const sweep = () => folder.sweep(adapters.inUse());
  const isBuiltIn = (type: string) => adapters.loaded().get(type)?.source === "builtin";
  const installed = async (type: string): Promise<RegistryEntry> => {
    if (isBuiltIn(type)) throw new AdapterBuiltIn();
    const entry = (await entries()).find((candidate) => candidate.type === type);
    if (entry !== undefined) return entry;
    throw new AdapterNotFound();
  };

  const reloaded = async (type: string): Promise<void> => {
    // An edge, as in `remove`: what is recorded is loaded, also when the request is interrupted meanwhile.
    await Effect.runPromise(adapters.loadAll(type));
    const known = adapters.known().find((candidate) => candidate.type === type);
    if (known === undefined) throw new AdapterNotFound();
    if (known.problem !== null)
      throw new PluginRefusal(
        known.status === "loaded" ? `${known.problem} The code loaded before stays in use.` : known.problem,
      );
  };

  const checkFree = async (type: string, isItself: (entry: InstalledAdapter) => boolean): Promise<void> => {
    const entry = (await entries()).find((candidate) => candidate.type === type);
    if (isBuiltIn(type) || (entry !== undefined && !isItself(entry)))
      throw new AdapterTypeTaken({ type }, `Another adapter has the type ${type} already. Types are unique.`);
  };

  const record = async (entry: RegistryEntry): Promise<InstalledAdapter> => {
    await file.put(entry);
    await reloaded(entry.type);
    await sweep();
    return withoutContents(entry);
  };

  const installLocal = async (id: string, path: string): Promise<InstalledAdapter> => {
    const localPath = await realpath(path).catch(() => {
      throw new PluginRefusal(`The folder ${resolve(path)} does not exist.`);
    });
    const manifest = await readPluginManifest(localPath);
    const type = await inspectPlugin(manifest, hosts);
    return alone(async () => {
      await checkFree(type, (entry) => entry.localPath === localPath);
      const installedAt = new Date().toISOString();
      const none = { packageName: null, integrity: null, contents: null };
      return record({ ...none, id, localPath, type, version: manifest.version, installedAt });
    });
  };

  const installPackage = (
    id: string,
    packageName: string,
    interrupted: AbortSignal,
  ): Promise<InstalledAdapter> =>
    staged(async (staging) => {
      const { name, version, integrity, directory } = await npmInstall(
        packageName,
        staging,
        hosts.mark(),
        interrupted,
      );
      const contents = await packageContents(staging, { sealed: true, opened: folder.isOpened });
      const type = await inspectPlugin(await readPluginManifest(directory), hosts);
      return alone(async () => {
        await checkFree(type, (entry) => entry.packageName === name);
        const installedAt = new Date().toISOString();
        const local = { localPath: null };
        const entry = { ...local, id, packageName: name, type, version, installedAt, integrity, contents };
        await folder.install(staging, entry);
        return record(entry);
      });
    });

  return {
    installed: (id) =>
      Effect.promise(async () => {
        const entry = (await entries()).find((candidate) => candidate.id === id);
        return entry === undefined ? null : withoutContents(entry);
      }),
    install: ({ id, packageName, localPath }: InstallAdapter) =>
      outcome(
        async (interrupted) => {
          if ((packageName === undefined) === (localPath === undefined))
            throw new PluginRefusal("Name exactly one of packageName and localPath.");
          return localPath === undefined
            ? installPackage(id, packageName ?? "", interrupted)
            : installLocal(id, localPath);
        },
        [AdapterNotInstallable, AdapterTypeTaken],
      ),
    remove: (type) =>
      outcome(
        () =>
          alone(async () => {
            const known = adapters.known().some((candidate) => candidate.type === type);
            if (!known || isBuiltIn(type)) await installed(type);
            await file.remove(type);
            await Effect.runPromise(adapters.loadAll());
            await sweep();
          }),
        [AdapterNotFound, AdapterBuiltIn, AdapterNotInstallable],
      ),
    reload: (type) =>
      outcome(
        () =>
          alone(async () => {
            const entry = await installed(type);
            await reloaded(type);
            return {
              ...withoutContents(entry),
              version: adapters.loaded().get(type)?.version ?? entry.version,
            };
          }),
        [AdapterNotFound, AdapterBuiltIn, AdapterNotInstallable],
      ),
  };
};

const withoutContents = ({ contents: _, ...entry }: RegistryEntry): InstalledAdapter => entry;
