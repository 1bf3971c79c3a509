import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as Effect from "effect/Effect";
import type { AdapterRegistry, KnownAdapter, LoadedAdapter } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import { externalAdapters } from "./external-adapters.ts";
import { type Hosts, openHosted, openInProcess } from "./open-plugin.ts";
import { messageOf } from "./plain-text.ts";
import type { PluginDirectory, PluginProblem } from "./plugin-directory.ts";
import { type PluginManifest, PluginRefusal, readPluginManifest } from "./plugin-manifest.ts";
import { readUiParser } from "./read-ui-parser.ts";

export interface PluginLoaderOptions {
  /** Called at each load, in order of precedence: of two packages with one type the first is loaded. */
  readonly plugins: () => Promise<readonly PluginDirectory[]>;
  readonly onProblem: (problem: PluginProblem) => void;
  readonly hosts: Hosts;
  readonly clock: Clock;
  /** Removes leftovers of a dead service; called once, before the first package starts. */
  readonly clearAway?: () => Promise<void>;
  /** Called when replaced or removed code no longer uses a folder. */
  readonly onUnused?: (directory: string) => void;
}

export interface PluginLoader extends AdapterRegistry {
  /** Folders whose code runs, including replaced and removed packages. */
  readonly inUse: () => ReadonlySet<string>;
}

/** The adapters of this service. Built-in ones run in its process; external ones run in adapter hosts. */
export const pluginLoader = (options: PluginLoaderOptions): PluginLoader => {
  const ours = new BuiltinAdapters(options);
  const uses = new FolderUses(options.onUnused);
  const closing = new AbortController();
  let adapters: ReadonlyMap<string, LoadedAdapter> = new Map();
  let cleared: Promise<void> | null = null;

  const changed = () => {
    adapters = new Map([...ours.loaded, ...others.loaded()]);
  };
  const others = externalAdapters({
    onProblem: options.onProblem,
    isOurs: (type) => ours.loaded.has(type),
    clock: options.clock,
    closing: closing.signal,
    open: async (plugin, note, signal) => {
      await cleared;
      const wrong = await plugin.entry?.check?.();
      if (wrong != null) throw new PluginRefusal(wrong);
      const manifest = await readPluginManifest(plugin.directory);
      const parser = await readUiParser(manifest, note);
      // An edge: a load continues when the request that began it is interrupted, and ends with the loader.
      const hosted = openHosted(manifest, options.hosts, uses.of(manifest.directory));
      const opened = await Effect.runPromise(hosted, { signal: AbortSignal.any([closing.signal, signal]) });
      return { ...opened, source: plugin.source, version: manifest.version, ...parser };
    },
    changed,
  });

  const isOfOurs = ({ source }: PluginDirectory) => source === "builtin";
  const all = async (anew?: string): Promise<{ readonly othersLoaded: Promise<void> }> => {
    cleared ??= options.clearAway?.().catch(() => undefined) ?? null;
    const plugins = await options.plugins();
    await ours.load(plugins.filter(isOfOurs));
    changed();
    const given = plugins.filter((plugin) => !isOfOurs(plugin));
    return { othersLoaded: closing.signal.aborted ? Promise.resolve() : others.become(given, anew) };
  };

  return {
    loaded: () => adapters,
    known: () => [...ours.known(), ...others.known()],
    begin: () => Effect.asVoid(Effect.promise(() => all())),
    loadAll: (anew) => Effect.promise(async () => (await all(anew)).othersLoaded),
    inUse: () => uses.folders(),
    close: () => Effect.sync(() => closing.abort()),
  };
};

/** The adapters that the service brings, each loaded once. */
class BuiltinAdapters {
  readonly #options: Pick<PluginLoaderOptions, "onProblem" | "clock">;
  readonly #loaded = new Map<string, LoadedAdapter>();
  readonly #problems: KnownAdapter[] = [];
  readonly #seen = new Set<string>();

  constructor(options: Pick<PluginLoaderOptions, "onProblem" | "clock">) {
    this.#options = options;
  }

  get loaded(): ReadonlyMap<string, LoadedAdapter> {
    return this.#loaded;
  }

  known(): readonly KnownAdapter[] {
    return [...[...this.#loaded.values()].map(knownOfOurs), ...this.#problems];
  }

  async load(plugins: readonly PluginDirectory[]): Promise<void> {
    const fresh = plugins.filter(({ directory }) => !this.#seen.has(directory));
    const report = (plugin: PluginDirectory, level: PluginProblem["level"]) => (message: string) =>
      this.#options.onProblem({ ...plugin, level, message });
    const opened = await Promise.all(
      fresh.map((plugin) =>
        openOurs(plugin, report(plugin, "warn")).catch((error: unknown) => messageOf(error)),
      ),
    );
    for (const [n, plugin] of fresh.entries()) {
      this.#seen.add(plugin.directory);
      const problem = this.#add(opened[n]!);
      if (problem === null) continue;
      report(plugin, "error")(problem);
      const none = { packageName: null, localPath: null, version: null, notes: [] };
      const failedAt = this.#options.clock.now();
      this.#problems.push({ ...none, type: null, source: "builtin", status: "failed", problem, failedAt });
    }
  }

  /** Returns why it is not added, or null. */
  #add(opened: LoadedAdapter | string): string | null {
    if (typeof opened === "string") return opened;
    if (this.#loaded.has(opened.type))
      return `Its type "${opened.type}" is taken by another adapter, which was loaded before it. Types are unique.`;
    this.#loaded.set(opened.type, opened);
    return null;
  }
}

const openOurs = async (plugin: PluginDirectory, note: (text: string) => void): Promise<LoadedAdapter> => {
  const manifest = await readPluginManifest(plugin.directory);
  const parser = await readUiParser(manifest, note);
  return {
    ...(await openInProcess(manifest)),
    source: plugin.source,
    version: manifest.version,
    ...parser,
  };
};

/** How many adapters, also replaced and removed ones, run the code of each folder. */
class FolderUses {
  readonly #counts = new Map<string, number>();
  readonly #onUnused: ((directory: string) => void) | undefined;

  constructor(onUnused: ((directory: string) => void) | undefined) {
    this.#onUnused = onUnused;
  }

  folders(): ReadonlySet<string> {
    return new Set(this.#counts.keys());
  }

  /** A use that lasts as long as its scope. */
  of(directory: string) {
    return Effect.acquireRelease(
      Effect.sync(() => void this.#counts.set(directory, (this.#counts.get(directory) ?? 0) + 1)),
      () =>
        Effect.sync(() => {
          const remaining = (this.#counts.get(directory) ?? 0) - 1;
          if (remaining > 0) return void this.#counts.set(directory, remaining);
          this.#counts.delete(directory);
          this.#onUnused?.(directory);
        }),
    );
  }
}

const knownOfOurs = ({ type, source, version }: LoadedAdapter): KnownAdapter => ({
  type,
  source,
  packageName: null,
  localPath: null,
  version,
  status: "loaded",
  problem: null,
  failedAt: null,
  notes: [],
});

/** Lists the built-in packages from the built tree, for a bundle and for sources in a test. */
export const builtinPlugins = async (root = packageRoot()): Promise<readonly PluginDirectory[]> => {
  const folder = join(root, "dist", "plugins");
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => !name.includes(".")) // An interrupted build leaves `<name>.<pid>.new`.
    .map((name) => join(folder, name))
    .filter((directory) => existsSync(join(directory, "package.json")))
    .sort()
    .map((directory) => ({ directory, source: "builtin" as const }));
};

/** Finds the folder of our package.json above this file, at any depth of a bundle. */
const packageRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest) && "bin" in JSON.parse(readFileSync(manifest, "utf8"))) return folder;
    const above = dirname(folder);
    if (above === folder) throw new Error("The service's package.json was not found above its code.");
    folder = above;
  }
};

/** Inspects a package. Throws PluginRefusal where it is no adapter package. */
export const inspectPlugin = async (manifest: PluginManifest, hosts: Hosts): Promise<string> =>
  (await Effect.runPromise(openHosted(manifest, hosts))).type;
