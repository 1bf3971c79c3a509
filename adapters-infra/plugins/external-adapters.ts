import type { KnownAdapter, LoadedAdapter } from "../../ports/adapter-registry.ts";
import { messageOf } from "./plain-text.ts";
import type { PluginDirectory, PluginProblem } from "./plugin-directory.ts";
import { PluginRefusal } from "./plugin-manifest.ts";

export interface ExternalAdaptersParts {
  readonly open: (plugin: PluginDirectory, note: (text: string) => void) => Promise<LoadedAdapter>;
  readonly onProblem: (problem: PluginProblem) => void;
  /** Whether a type is one of our own adapters'. */
  readonly isOurs: (type: string) => boolean;
  /** Told when there are others to run agents than before. */
  readonly changed: () => void;
}

/** A package that is not ours, from the moment it is known until it is removed. */
interface ExternalAdapter {
  readonly plugin: PluginDirectory;
  loaded: { readonly adapter: LoadedAdapter; readonly directory: string } | null;
  problem: string | null;
  notes: readonly string[];
  /** The latest attempt to load it. */
  loading: Promise<void> | null;
}

/** The packages that are not ours, each of which is loaded, being loaded, or broken, whatever the others are. */
export const externalAdapters = ({ open, onProblem, isOurs, changed }: ExternalAdaptersParts) => {
  let all: ReadonlyMap<string, ExternalAdapter> = new Map();

  /** Reads its code; refuses what is not as it was installed. */
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
    /** Neither removed nor loaded anew meanwhile. */
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
    // Assigned before the attempt begins.
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
    /** From now on these are the packages. Resolves when none of them is being loaded. */
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

/** What is known of a package already; of one in another folder, what was loaded before goes on until that is loaded. */
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
  // A line of the registry that names neither says nothing of it.
  source: plugin.entry?.packageName === null && plugin.entry.localPath === null ? null : plugin.source,
  packageName: plugin.entry?.packageName ?? null,
  localPath: plugin.entry?.localPath ?? null,
  version: loaded?.adapter.version ?? plugin.entry?.version ?? null,
  status: loaded !== null ? "loaded" : problem === null ? "loading" : "failed",
  problem,
  notes,
});
