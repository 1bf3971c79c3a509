import type { Instant } from "../../core/model/shared/instant.ts";
import type { KnownAdapter, LoadedAdapter } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import { messageOf } from "./plain-text.ts";
import type { PluginDirectory, PluginProblem } from "./plugin-directory.ts";
import { PluginRefusal } from "./plugin-manifest.ts";

/** A package that has not loaded by then counts as failed. */
const loadWithinMs = 30_000;
/** Wait before a package that has failed is loaded again; doubles with each failure, up to the longest. */
const firstRetryMs = 30_000;
const longestRetryMs = 10 * 60_000;

export interface ExternalAdaptersParts {
  /** Ends at the signal: the attempt no longer counts. */
  readonly open: (
    plugin: PluginDirectory,
    note: (text: string) => void,
    signal: AbortSignal,
  ) => Promise<LoadedAdapter>;
  /** Aborts all loading, for good. */
  readonly closing: AbortSignal;
  readonly onProblem: (problem: PluginProblem) => void;
  /** Whether a type belongs to a built-in adapter. */
  readonly isOurs: (type: string) => boolean;
  /** Called when the set of loaded adapters has changed. */
  readonly changed: () => void;
  readonly clock: Clock;
}

/** An external package, from its registration to its removal. */
interface ExternalAdapter {
  readonly plugin: PluginDirectory;
  loaded: { readonly adapter: LoadedAdapter; readonly directory: string } | null;
  problem: string | null;
  failedAt: Instant | null;
  notes: readonly string[];
  /** The latest attempt to load it. */
  loading: Promise<void> | null;
  /** Attempts in a row that failed. */
  failures: number;
}

/** The external packages. Each is loading, loaded or broken, independently of the others. */
export const externalAdapters = (parts: ExternalAdaptersParts) => {
  const { closing, onProblem, changed, clock } = parts;
  let all: ReadonlyMap<string, ExternalAdapter> = new Map();

  /** Until it has code that runs, a package is loaded again and again: what kept it from loading may pass. */
  const retryLater = (key: string, external: ExternalAdapter): void => {
    const { failures, loaded } = external;
    if (loaded !== null || closing.aborted) return;
    const retry = () => {
      const isWanted = all.get(key) === external && external.failures === failures && !closing.aborted;
      if (isWanted && external.loading === null) void load(key, external);
    };
    setTimeout(retry, Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs)).unref();
  };

  const load = (key: string, external: ExternalAdapter): Promise<void> => {
    const { plugin } = external;
    const report = (level: PluginProblem["level"], message: string) =>
      onProblem({ directory: plugin.directory, source: plugin.source, level, message });
    /** Whether it was neither removed nor reloaded meanwhile. */
    const isCurrent = () => all.get(key) === external && external.loading === loading;
    const attempt = async () => {
      const notes: string[] = [];
      const late = new AbortController();
      const limit = setTimeout(() => late.abort(), loadWithinMs);
      try {
        const adapter = await read(parts, external, (note) => notes.push(note), late.signal);
        if (!isCurrent()) return;
        const loaded = { adapter, directory: plugin.directory };
        Object.assign(external, { loaded, problem: null, failedAt: null, notes, failures: 0 });
        for (const note of notes) report("warn", note);
        changed();
      } catch (error) {
        if (!isCurrent()) return;
        const message = messageOf(error);
        if (message !== external.problem) report("error", message);
        external.problem = message;
        external.failedAt ??= clock.now();
        external.failures += 1;
        retryLater(key, external);
      } finally {
        clearTimeout(limit);
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

/** Reads its code; rejects a package that differs from its installation. */
const read = async (
  { open, isOurs }: Pick<ExternalAdaptersParts, "open" | "isOurs">,
  { plugin }: ExternalAdapter,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<LoadedAdapter> => {
  const { problem, type = null } = plugin.entry ?? {};
  if (problem !== undefined) throw new PluginRefusal(problem);
  if (type !== null && isOurs(type))
    throw new PluginRefusal(`The type ${type} is one of the service's own adapters'. Types are unique.`);
  const adapter = await withinTime(signal, open(plugin, note, signal));
  if (type !== null && adapter.type !== type)
    throw new PluginRefusal(
      `It was installed as ${type}, and is of type ${adapter.type} now. Remove it and install it again.`,
    );
  return adapter;
};

/** Rejects at the signal, also where the work never ends. */
const withinTime = async <A>(signal: AbortSignal, work: Promise<A>): Promise<A> => {
  const late = new Promise<never>((_resolve, reject) =>
    signal.addEventListener("abort", () =>
      reject(new PluginRefusal(`It has not been loaded within ${loadWithinMs / 1000} seconds.`)),
    ),
  );
  return Promise.race([work, late]);
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
  const { loaded = null, failedAt = null, notes = [] } = known ?? {};
  return [key, { plugin, loaded, problem: null, failedAt, notes, loading: null, failures: 0 }];
};

const knownOf = ({ plugin, loaded, problem, failedAt, notes }: ExternalAdapter): KnownAdapter => ({
  type: plugin.entry?.type ?? loaded?.adapter.type ?? null,
  // A registry line with neither name nor path gives no source.
  source: plugin.entry?.packageName === null && plugin.entry.localPath === null ? null : plugin.source,
  packageName: plugin.entry?.packageName ?? null,
  localPath: plugin.entry?.localPath ?? null,
  version: loaded?.adapter.version ?? plugin.entry?.version ?? null,
  status: loaded !== null ? "loaded" : problem === null ? "loading" : "failed",
  problem,
  failedAt: problem === null ? null : failedAt,
  notes,
});
