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
import { type NpmStart, npmInstall } from "./npm-install.ts";
import type { Hosts } from "./open-plugin.ts";
import { packageContents } from "./package-contents.ts";
import { inspectPlugin, type PluginLoader } from "./plugin-loader.ts";
import { PluginRefusal, readPluginManifest } from "./plugin-manifest.ts";
import type { RegistryEntry } from "./registry-file.ts";

/** How programs of packages are started: their hosts, and npm. */
type PackageHosts = Hosts & Pick<NpmStart, "detach">;

/** The parts that each change of the adapters uses. */
interface Tools {
  readonly adapters: PluginLoader;
  readonly folder: AdapterFolder;
  readonly hosts: PackageHosts;
  /** Changes run one after the other: each reads the file, changes it and writes it. Slow work happens before. */
  readonly alone: Queue;
}

type Queue = <A>(work: () => Promise<A>) => Promise<A>;

export const adapterPackages = (
  adapters: PluginLoader,
  folder: AdapterFolder,
  hosts: PackageHosts,
): AdapterPackages => {
  const tools: Tools = { adapters, folder, hosts, alone: queue() };
  return {
    installed: (id) =>
      Effect.promise(async () => {
        const entry = (await folder.file.read()).entries.find((candidate) => candidate.id === id);
        return entry === undefined ? null : withoutContents(entry);
      }),
    install: ({ id, packageName, localPath }: InstallAdapter) =>
      outcome(
        async (interrupted) => {
          if ((packageName === undefined) === (localPath === undefined))
            throw new PluginRefusal("Set either packageName or localPath.");
          return localPath === undefined
            ? installPackage(tools, id, packageName ?? "", interrupted)
            : installLocal(tools, id, localPath);
        },
        [AdapterNotInstallable, AdapterTypeTaken],
      ),
    remove: (type) =>
      outcome(
        () => tools.alone(() => remove(tools, type)),
        [AdapterNotFound, AdapterBuiltIn, AdapterNotInstallable],
      ),
    reload: (type) =>
      outcome(
        () => tools.alone(() => reload(tools, type)),
        [AdapterNotFound, AdapterBuiltIn, AdapterNotInstallable],
      ),
  };
};

/** Runs a change; those of its errors that are refusals are its failures, all others defects. */
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

const queue = (): Queue => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
};

const installLocal = async (tools: Tools, id: string, path: string): Promise<InstalledAdapter> => {
  const localPath = await realpath(path).catch(() => {
    throw new PluginRefusal(`The folder ${resolve(path)} does not exist.`);
  });
  const manifest = await readPluginManifest(localPath);
  const type = await inspectPlugin(manifest, tools.hosts);
  return tools.alone(async () => {
    await checkFree(tools, type, (entry) => entry.localPath === localPath);
    const installedAt = new Date().toISOString();
    const none = { packageName: null, integrity: null, contents: null };
    return record(tools, { ...none, id, localPath, type, version: manifest.version, installedAt });
  });
};

const installPackage = (
  tools: Tools,
  id: string,
  packageName: string,
  interrupted: AbortSignal,
): Promise<InstalledAdapter> => {
  const { folder, hosts } = tools;
  return folder.staged(async (staging) => {
    const { name, version, integrity, directory } = await npmInstall(
      packageName,
      staging,
      { mark: hosts.mark(), detach: hosts.detach },
      interrupted,
    );
    const contents = await packageContents(staging, { sealed: true, opened: folder.isOpened });
    const type = await inspectPlugin(await readPluginManifest(directory), hosts);
    return tools.alone(async () => {
      await checkFree(tools, type, (entry) => entry.packageName === name);
      const installedAt = new Date().toISOString();
      const local = { localPath: null };
      const entry = { ...local, id, packageName: name, type, version, installedAt, integrity, contents };
      await folder.install(staging, entry);
      return record(tools, entry);
    });
  });
};

const remove = async (tools: Tools, type: string): Promise<void> => {
  const { adapters, folder } = tools;
  const isKnown = adapters.known().some((candidate) => candidate.type === type);
  if (!isKnown || isBuiltIn(adapters, type)) await requireInstalled(tools, type);
  await folder.file.remove(type);
  await Effect.runPromise(adapters.loadAll());
  await sweep(tools);
};

const reload = async (tools: Tools, type: string): Promise<InstalledAdapter> => {
  const entry = await requireInstalled(tools, type);
  await loadAgain(tools, type);
  return {
    ...withoutContents(entry),
    version: tools.adapters.loaded().get(type)?.version ?? entry.version,
  };
};

const requireInstalled = async ({ adapters, folder }: Tools, type: string): Promise<RegistryEntry> => {
  if (isBuiltIn(adapters, type)) throw new AdapterBuiltIn();
  const entry = (await folder.file.read()).entries.find((candidate) => candidate.type === type);
  if (entry !== undefined) return entry;
  throw new AdapterNotFound();
};

const checkFree = async (
  { adapters, folder }: Tools,
  type: string,
  isItself: (entry: InstalledAdapter) => boolean,
): Promise<void> => {
  const entry = (await folder.file.read()).entries.find((candidate) => candidate.type === type);
  if (isBuiltIn(adapters, type) || (entry !== undefined && !isItself(entry)))
    throw new AdapterTypeTaken({ type }, `Another adapter already has the type ${type}.`);
};

const record = async (tools: Tools, entry: RegistryEntry): Promise<InstalledAdapter> => {
  await tools.folder.file.put(entry);
  await loadAgain(tools, entry.type);
  await sweep(tools);
  return withoutContents(entry);
};

const loadAgain = async ({ adapters }: Tools, type: string): Promise<void> => {
  // An edge, as in `remove`: what is recorded is loaded, also when the request is interrupted meanwhile.
  await Effect.runPromise(adapters.loadAll(type));
  const known = adapters.known().find((candidate) => candidate.type === type);
  if (known === undefined) throw new AdapterNotFound();
  if (known.problem !== null)
    throw new PluginRefusal(
      known.status === "loaded" ? `${known.problem} The code loaded before stays in use.` : known.problem,
    );
};

const sweep = ({ adapters, folder }: Tools) => folder.sweep(adapters.inUse());

const isBuiltIn = (adapters: PluginLoader, type: string) => adapters.loaded().get(type)?.source === "builtin";

const withoutContents = ({ contents: _, ...entry }: RegistryEntry): InstalledAdapter => entry;
