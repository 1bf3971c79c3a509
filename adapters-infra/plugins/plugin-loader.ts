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
  const ours = new Map<string, LoadedAdapter>();
  const ourProblems: KnownAdapter[] = [];
  const seen = new Set<string>();
  const inUse = new Map<string, number>();
  const closing = new AbortController();
  let adapters: ReadonlyMap<string, LoadedAdapter> = new Map();
  let cleared: Promise<void> | null = null;

  const use = (directory: string) =>
    Effect.acquireRelease(
      Effect.sync(() => void inUse.set(directory, (inUse.get(directory) ?? 0) + 1)),
      () =>
        Effect.sync(() => {
          const left = (inUse.get(directory) ?? 0) - 1;
          if (left > 0) return void inUse.set(directory, left);
          inUse.delete(directory);
          options.onUnused?.(directory);
        }),
    );
  const others = externalAdapters({
    onProblem: options.onProblem,
    isOurs: (type) => ours.has(type),
    clock: options.clock,
    closing: closing.signal,
    open: async (plugin, note, signal) => {
      await cleared;
      const wrong = await plugin.entry?.check?.();
      if (wrong != null) throw new PluginRefusal(wrong);
      const manifest = await readPluginManifest(plugin.directory);
      const parser = await readUiParser(manifest, note);
      // An edge: a load continues when the request that began it is interrupted, and ends with the loader.
      const opened = await Effect.runPromise(openHosted(manifest, options.hosts, use(manifest.directory)), {
        signal: AbortSignal.any([closing.signal, signal]),
      });
      return { ...opened, source: plugin.source, version: manifest.version, ...parser };
    },
    changed: () => {
      adapters = new Map([...ours, ...others.loaded()]);
    },
  });

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
  const loadOurs = async (plugins: readonly PluginDirectory[]): Promise<void> => {
    const fresh = plugins.filter(({ directory }) => !seen.has(directory));
    const found = await Promise.all(
      fresh.map(async (plugin) => {
        const report = (level: PluginProblem["level"]) => (message: string) =>
          options.onProblem({ ...plugin, level, message });
        return {
          plugin,
          report: report("error"),
          loaded: await openOurs(plugin, report("warn")).catch((error: unknown) => messageOf(error)),
        };
      }),
    );
    for (const { plugin, report, loaded } of found) {
      seen.add(plugin.directory);
      const problem =
        typeof loaded === "string"
          ? loaded
          : ours.has(loaded.type)
            ? `Its type "${loaded.type}" is taken by another adapter, which was loaded before it. Types are unique.`
            : null;
      if (typeof loaded !== "string" && problem === null) {
        ours.set(loaded.type, loaded);
        continue;
      }
      report(problem ?? "");
      const none = { packageName: null, localPath: null, version: null, notes: [] };
      const failedAt = options.clock.now();
      ourProblems.push({ ...none, type: null, source: "builtin", status: "failed", problem, failedAt });
    }
    adapters = new Map([...ours, ...others.loaded()]);
  };
  const isOfOurs = ({ source }: PluginDirectory) => source === "builtin";
  const all = async (anew?: string): Promise<{ readonly othersLoaded: Promise<void> }> => {
    cleared ??= options.clearAway?.().catch(() => undefined) ?? null;
    const plugins = await options.plugins();
    await loadOurs(plugins.filter(isOfOurs));
    const given = plugins.filter((plugin) => !isOfOurs(plugin));
    return { othersLoaded: closing.signal.aborted ? Promise.resolve() : others.become(given, anew) };
  };

  return {
    loaded: () => adapters,
    known: () => [...[...ours.values()].map(knownOfOurs), ...ourProblems, ...others.known()],
    begin: () => Effect.asVoid(Effect.promise(() => all())),
    loadAll: (anew) => Effect.promise(async () => (await all(anew)).othersLoaded),
    inUse: () => new Set(inUse.keys()),
    close: () => Effect.sync(() => closing.abort()),
  };
};

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
