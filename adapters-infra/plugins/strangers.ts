import type { KnownAdapter, LoadedAdapter } from "../../ports/adapter-registry.ts";
import type { KeptHost } from "./open-plugin.ts";
import { messageOf } from "./plain-text.ts";
import type { PluginDirectory, PluginProblem } from "./plugin-directory.ts";
import { PluginRefusal } from "./plugin-manifest.ts";

export interface Opening {
  readonly loaded: LoadedAdapter;
  readonly host: KeptHost;
  /** Where its code was read. */
  readonly directory: string;
}

export interface StrangersParts {
  readonly open: (plugin: PluginDirectory, note: (text: string) => void) => Promise<Opening>;
  readonly onProblem: (problem: PluginProblem) => void;
  /** Whether a type is one of our own adapters'. */
  readonly isOurs: (type: string) => boolean;
  /** Told when there are others to run agents than before. */
  readonly changed: () => void;
}

/** A package that is not ours, from the moment it is known until it is removed. */
interface Stranger {
  readonly plugin: PluginDirectory;
  opening: Opening | null;
  problem: string | null;
  notes: readonly string[];
  /** Of the latest try. */
  trying: Promise<void> | null;
}

/** The packages that are not ours, each of which is loaded, being loaded, or broken, whatever the others are. */
export const strangers = ({ open, onProblem, isOurs, changed }: StrangersParts) => {
  let all: ReadonlyMap<string, Stranger> = new Map();

  const bring = (key: string, stranger: Stranger): Promise<void> => {
    const { plugin } = stranger;
    const isCurrent = () => all.get(key) === stranger && stranger.trying === trying;
    const report = (level: PluginProblem["level"], message: string) =>
      onProblem({ directory: plugin.directory, source: plugin.source, level, message });
    const attempt = async () => {
      const notes: string[] = [];
      try {
        if (plugin.entry?.problem !== undefined) throw new PluginRefusal(plugin.entry.problem);
        const type = plugin.entry?.type ?? null;
        if (type !== null && isOurs(type))
          throw new PluginRefusal(
            `The type ${type} is one of the service's own adapters'. Types are unique.`,
          );
        const opening = await open(plugin, (note) => notes.push(note));
        if (type !== null && opening.loaded.type !== type) {
          opening.host.end();
          throw new PluginRefusal(
            `It was installed as ${type}, and is of type ${opening.loaded.type} now. Remove it and install it again.`,
          );
        }
        if (!isCurrent()) return opening.host.end();
        const before = stranger.opening;
        stranger.opening = opening;
        stranger.problem = null;
        stranger.notes = notes;
        for (const note of notes) report("warn", note);
        changed();
        before?.host.retire();
      } catch (error) {
        if (!isCurrent()) return;
        stranger.problem = messageOf(error);
        report("error", stranger.problem);
      } finally {
        if (isCurrent()) stranger.trying = null;
      }
    };
    // Assigned before the first word of the attempt is spoken.
    const trying = Promise.resolve().then(attempt);
    stranger.trying = trying;
    return trying;
  };

  return {
    loaded: (): readonly (readonly [string, LoadedAdapter])[] =>
      [...all.values()].flatMap(({ opening }) =>
        opening === null ? [] : [[opening.loaded.type, opening.loaded] as const],
      ),
    known: (): readonly KnownAdapter[] => [...all.values()].map(knownOf),
    /** From now on these are the packages. Resolves when none of them is being loaded. */
    become: async (plugins: readonly PluginDirectory[], anew?: string): Promise<void> => {
      const next = new Map<string, Stranger>();
      for (const plugin of plugins) {
        const { type, problem } = plugin.entry ?? {};
        const key = problem === undefined ? (type ?? plugin.directory) : `broken: ${problem} ${type}`;
        const known = all.get(key);
        const isSame = known?.plugin.directory === plugin.directory;
        // Of another folder: what was there goes on until that is loaded.
        const { opening = null, notes = [] } = known ?? {};
        next.set(key, isSame ? known : { plugin, opening, problem: null, notes, trying: null });
      }
      const gone = [...all].filter(([key, { opening }]) => next.get(key)?.opening !== opening);
      all = next;
      for (const [, { opening }] of gone) opening?.host.retire();
      changed();
      await Promise.all(
        [...next].map(([key, stranger]) => {
          const { opening, plugin, problem } = stranger;
          const isLoaded = opening?.directory === plugin.directory && problem === null && key !== anew;
          if (stranger.trying !== null && key !== anew) return stranger.trying;
          return isLoaded ? undefined : bring(key, stranger);
        }),
      );
    },
  };
};

const knownOf = ({ plugin, opening, problem, notes }: Stranger): KnownAdapter => ({
  type: plugin.entry?.type ?? opening?.loaded.type ?? null,
  // Of a line that names neither, nobody knows.
  source: plugin.entry?.packageName === null && plugin.entry.localPath === null ? null : plugin.source,
  packageName: plugin.entry?.packageName ?? null,
  localPath: plugin.entry?.localPath ?? null,
  version: opening?.loaded.version ?? plugin.entry?.version ?? null,
  status: opening !== null ? "loaded" : problem === null ? "loading" : "failed",
  problem,
  notes,
});
