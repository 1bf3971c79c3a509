import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as Effect from "effect/Effect";
import { z } from "zod";
import type { AdapterRegistry, LoadedAdapter } from "../../ports/adapter-registry.ts";
import type { AdapterModel, AgentAdapter } from "../../ports/agent-adapter.ts";
import { type PluginManifest, PluginRefusal, readPluginManifest } from "./plugin-manifest.ts";

/** Where an adapter package lies. */
export interface PluginDirectory {
  readonly directory: string;
  readonly source: LoadedAdapter["source"];
}

/** Something to tell the operator about a package. */
export interface PluginProblem extends PluginDirectory {
  /** error: left out. warn: loaded, with something missing. */
  readonly level: "warn" | "error";
  readonly message: string;
}

export interface PluginLoaderOptions {
  /** Asked at every loading, in order of precedence: of two packages with one type the first is loaded. */
  readonly plugins: () => Promise<readonly PluginDirectory[]>;
  readonly onProblem: (problem: PluginProblem) => void;
}

/** What a package turns out to be once its code runs somewhere. */
export interface OpenedPlugin {
  readonly type: string;
  readonly label: string;
  readonly models: readonly AdapterModel[];
  readonly adapter: AgentAdapter;
}

/** Runs the code of a package and hands out its adapter. */
type PluginHost = (manifest: PluginManifest) => Promise<OpenedPlugin>;

/** Longest text of a UI parser. */
const maxUiParserBytes = 1024 * 1024;
const openTimeoutMs = 10_000;

/**
 * The adapters of this process. Ours run in it; a stranger's package gets a host process of its own, which takes its
 * place in `hosts` when it comes, and is reported until then.
 */
export const pluginLoader = (options: PluginLoaderOptions): AdapterRegistry => {
  const hosts: Readonly<Partial<Record<LoadedAdapter["source"], PluginHost>>> = { builtin: openInProcess };
  let adapters: ReadonlyMap<string, LoadedAdapter> = new Map();

  const loadAll = async (): Promise<void> => {
    const found = new Map<string, LoadedAdapter>();
    for (const plugin of await options.plugins()) {
      const report = (level: PluginProblem["level"], message: string) =>
        options.onProblem({ ...plugin, level, message });
      try {
        const host = hosts[plugin.source];
        if (host === undefined) {
          throw new PluginRefusal(
            "Adapters that are not ours cannot be loaded by this version of the service.",
          );
        }
        const manifest = await readPluginManifest(plugin.directory);
        const opened = await host(manifest);
        if (found.has(opened.type)) {
          throw new PluginRefusal(
            `Its type "${opened.type}" is taken by another adapter, which was loaded before it. Types are unique.`,
          );
        }
        const uiParser = await readUiParser(manifest, (note) => report("warn", note));
        found.set(opened.type, { ...opened, source: plugin.source, version: manifest.version, uiParser });
      } catch (error) {
        report("error", error instanceof Error ? error.message : String(error));
      }
    }
    adapters = found;
  };

  return { loaded: () => adapters, loadAll: () => Effect.promise(loadAll) };
};

const readUiParser = async (
  { uiParser }: PluginManifest,
  warn: (note: string) => void,
): Promise<string | null> => {
  if (uiParser.note !== undefined) warn(uiParser.note);
  if (!uiParser.served) return null;
  if ((await stat(uiParser.path)).size > maxUiParserBytes) {
    warn("Its UI parser is larger than 1 MiB. It is not served.");
    return null;
  }
  return readFile(uiParser.path, "utf8");
};

const adapterType = z
  .string()
  .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, "must be snake_case")
  .max(100);
const models = z.array(z.object({ id: z.string().min(1), label: z.string() }));
const method = z.custom<() => unknown>((value) => typeof value === "function", "must be a function");

const RootExports = z.object({
  type: adapterType,
  label: z.string().min(1),
  models,
  agentConfigurationDoc: z.string(),
  createServerAdapter: method,
});

const ServerAdapter = z.object({
  type: adapterType,
  models,
  agentConfigurationDoc: z.string(),
  execute: method,
  testEnvironment: method,
  listModels: method.optional(),
  listSkills: method.optional(),
  syncSkills: method.optional(),
  detectModel: method.optional(),
  sessionCodec: z.object({ deserialize: method, serialize: method, getDisplayId: method }).optional(),
});

const openInProcess: PluginHost = async (manifest) => {
  const module: unknown = await import(pathToFileURL(manifest.entry).href).catch((cause: unknown) => {
    throw new PluginRefusal(`Its code cannot be loaded: ${messageOf(cause)}`, { cause });
  });
  const root = RootExports.safeParse({ ...(module as object) });
  if (!root.success) throw new PluginRefusal(`Its exports are incomplete: ${describeIssues(root.error)}.`);
  const { type, label } = root.data;

  const created: unknown = await withinTime(async () => root.data.createServerAdapter()).catch(
    (cause: unknown) => {
      throw new PluginRefusal(`createServerAdapter failed: ${messageOf(cause)}`, { cause });
    },
  );
  const checked = ServerAdapter.safeParse(created);
  if (!checked.success) {
    throw new PluginRefusal(`createServerAdapter returned no adapter: ${describeIssues(checked.error)}.`);
  }
  if (checked.data.type !== type) {
    throw new PluginRefusal(`Its root exports say type "${type}", its adapter "${checked.data.type}".`);
  }
  return { type, label, models: root.data.models, adapter: created as AgentAdapter };
};

const withinTime = async <A>(work: () => Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer in ${openTimeoutMs / 1000} seconds`)),
      openTimeoutMs,
    );
  });
  return Promise.race([work(), late]).finally(() => clearTimeout(timer));
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const describeIssues = (error: z.ZodError): string =>
  error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
    .join("; ");

/** The packages that come with the service, from the built tree: the same one for a bundle and for sources in a test. */
export const builtinPlugins = async (root = packageRoot()): Promise<readonly PluginDirectory[]> => {
  const folder = join(root, "dist", "plugins");
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => !name.includes(".")) // A build that was cut off leaves `<name>.<pid>.new`.
    .map((name) => join(folder, name))
    .filter((directory) => existsSync(join(directory, "package.json")))
    .sort()
    .map((directory) => ({ directory, source: "builtin" as const }));
};

/** The folder of our own package.json: above this file's, however deep a bundler has put it. */
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
