import type { KnownAdapter, LoadedAdapter } from "../../ports/adapter-registry.ts";
import { messageOf } from "./plain-text.ts";
import type { PluginDirectory, PluginProblem } from "./plugin-directory.ts";
import { PluginRefusal } from "./plugin-manifest.ts";

export interface ExternalAdaptersParts {
  readonly open: (plugin: PluginDirectory, note: (text: string) => void) => Promise<LoadedAdapter>;
  readonly onProblem: (problem: PluginProblem) => void;
  /** Whether a type belongs to a built-in adapter. */
  readonly isOurs: (type: string) => boolean;
  /** Called when the set of loaded adapters has changed. */
  readonly changed: () => void;
}

/** An external package, from its registration to its removal. */
interface ExternalAdapter {
  readonly plugin: PluginDirectory;
  loaded: { readonly adapter: LoadedAdapter; readonly directory: string } | null;
  problem: string | null;
  notes: readonly string[];
  /** The latest attempt to load it. */
  loading: Promise<void> | null;
}

/** The external packages. Each is loading, loaded or broken, independently of the others. */
export const externalAdapters = ({ open, onProblem, isOurs, changed }: ExternalAdaptersParts) => {
  let all: ReadonlyMap<string, ExternalAdapter> = new Map();

  /** Reads its code; rejects a package that differs from its installation. */
  const read = async ({ plugin }: ExternalAdapter, note: (text: string) => void): Promise<LoadedAdapter> => {
    const { problem, type = null } = plugin.entry ?? {};
    if (problem !== undefined) throw new PluginRefusal(problem);
    if (type !== null && isOurs(type))
      throw new PluginRefusal(`The type ${type} is one of the service's own adapters'. Types are unique.`);
    const adapter = await open(plugin, note);
    if (type !== null && adapter.type !== type)
      throw new PluginRefusal(
        `It was installed as ${type}, and is of type ${adapter.type} now. Remove it and install it again.`,
      );
    return adapter;
  };

  const load = (key: string, external: ExternalAdapter): Promise<void> => {
    const { plugin } = external;
    const report = (level: PluginProblem["level"], message: string) =>
      onProblem({ directory: plugin.directory, source: plugin.source, level, message });
    /** Whether it was neither removed nor reloaded meanwhile. */
    const isCurrent = () => all.get(key) === external && external.loading === loading;
    const attempt = async () => {
      const notes: string[] = [];
      try {
        const adapter = await read(external, (note) => notes.push(note));
        if (!isCurrent()) return;
        Object.assign(external, { loaded: { adapter, directory: plugin.directory }, problem: null, notes });
        for (const note of notes) report("warn", note);
        changed();
      } catch (error) {
        if (!isCurrent()) return;
        external.problem = messageOf(error);
        report("error", external.problem);
      } finally {
        if (isCurrent()) external.loading = null;
      }
    };
    // The assignment precedes the attempt.
    const loading = Promise.resolve().then(attempt);
    external.loading = loading;
    return loading;
  };

  return {
    loaded: (): readonly (readonly [string, LoadedAdapter])[] =>
      [...all.values()].flatMap(({ loaded }) =>
        loaded === null ? [] : [[loaded.adapter.type, loaded.adapter] as const],
      ),
    known: (): readonly KnownAdapter[] => [...all.values()].map(knownOf),
    /** Replaces the list of packages. Resolves when none of them is loading. */
    become: async (plugins: readonly PluginDirectory[], anew?: string): Promise<void> => {
      const next = new Map(plugins.map((plugin) => successor(all, plugin)));
      all = next;
      changed();
      await Promise.all(
        [...next].map(([key, external]) => {
          if (key === anew) return load(key, external);
          const { loaded, loading, plugin, problem } = external;
          const isLoaded = loaded?.directory === plugin.directory && problem === null;
          return loading ?? (isLoaded ? undefined : load(key, external));
        }),
      );
    },
  };
};

/** Keeps what is known of a package. After a move, the old code runs until the new one is loaded. */
const successor = (
  all: ReadonlyMap<string, ExternalAdapter>,
  plugin: PluginDirectory,
): readonly [string, ExternalAdapter] => {
  const { type, problem } = plugin.entry ?? {};
  const key = problem === undefined ? (type ?? plugin.directory) : `broken: ${problem} ${type}`;
  const known = all.get(key);
  if (known?.plugin.directory === plugin.directory) return [key, known];
  const { loaded = null, notes = [] } = known ?? {};
  return [key, { plugin, loaded, problem: null, notes, loading: null }];
};

const knownOf = ({ plugin, loaded, problem, notes }: ExternalAdapter): KnownAdapter => ({
  type: plugin.entry?.type ?? loaded?.adapter.type ?? null,
  // A registry line with neither name nor path gives no source.
  source: plugin.entry?.packageName === null && plugin.entry.localPath === null ? null : plugin.source,
  packageName: plugin.entry?.packageName ?? null,
  localPath: plugin.entry?.localPath ?? null,
  version: loaded?.adapter.version ?? plugin.entry?.version ?? null,
  status: loaded !== null ? "loaded" : problem === null ? "loading" : "failed",
  problem,
  notes,
});
