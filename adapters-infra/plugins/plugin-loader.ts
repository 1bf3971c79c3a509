import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as Effect from "effect/Effect";
import { z } from "zod";
import type { AdapterRegistry, LoadedAdapter } from "../../ports/adapter-registry.ts";
import type { AdapterModel, AgentAdapter } from "../../ports/agent-adapter.ts";
import { openHost, type PluginHost } from "./plugin-host.ts";
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
  /** The whole environment of strangers' processes. */
  readonly hostEnv?: Readonly<Record<string, string>>;
}

/** What a package turns out to be once its code runs somewhere. */
export interface OpenedPlugin {
  readonly type: string;
  readonly label: string;
  readonly models: readonly AdapterModel[];
  readonly adapter: AgentAdapter;
}

interface Opening {
  readonly manifest: PluginManifest;
  readonly opened: OpenedPlugin;
  /** Of a package in a process of its own. */
  readonly host: PluginHost | null;
  readonly uiParser: string | null;
}

/** Longest text of a UI parser. */
const maxUiParserBytes = 1024 * 1024;
const openTimeoutMs = 10_000;

/** The adapters of this process. Ours run in it; a stranger's package has a process of its own. */
export const pluginLoader = (options: PluginLoaderOptions): AdapterRegistry => {
  let adapters: ReadonlyMap<string, LoadedAdapter> = new Map();
  /** Processes of strangers' packages, by folder. */
  let hosted: ReadonlyMap<string, Opening> = new Map();

  const open = async (
    plugin: PluginDirectory,
    anew: string | undefined,
    report: (level: PluginProblem["level"], message: string) => void,
  ): Promise<Opening | null> => {
    try {
      const known = hosted.get(plugin.directory);
      if (known !== undefined && known.opened.type !== anew && known.host?.isThere()) return known;
      const manifest = await readPluginManifest(plugin.directory);
      const uiParser = await readUiParser(manifest, (note) => report("warn", note));
      if (plugin.source === "builtin")
        return { manifest, opened: await openInProcess(manifest), host: null, uiParser };
      return { manifest, uiParser, ...(await openHosted(manifest, options.hostEnv ?? {})) };
    } catch (error) {
      report("error", messageOf(error));
      return null;
    }
  };

  const loadAll = async (anew?: string): Promise<void> => {
    const plugins = await options.plugins();
    const reporter =
      (plugin: PluginDirectory) =>
      (level: PluginProblem["level"], message: string): void =>
        options.onProblem({ ...plugin, level, message });
    // Together, so that a slow one does not hold up the others.
    const openings = await Promise.all(
      plugins.map(async (plugin) => [plugin, await open(plugin, anew, reporter(plugin))] as const),
    );
    const found = new Map<string, LoadedAdapter>();
    const kept = new Map<string, Opening>();
    for (const [plugin, opening] of openings) {
      if (opening === null) continue;
      const { opened, manifest, uiParser, host } = opening;
      if (found.has(opened.type)) {
        reporter(plugin)(
          "error",
          `Its type "${opened.type}" is taken by another adapter, which was loaded before it. Types are unique.`,
        );
        continue;
      }
      if (host !== null) kept.set(plugin.directory, opening);
      found.set(opened.type, { ...opened, source: plugin.source, version: manifest.version, uiParser });
    }
    const before = hosted;
    adapters = found;
    hosted = kept;
    const used = new Set([...kept.values()].map(({ host }) => host));
    for (const { host } of before.values()) if (!used.has(host)) host?.retire();
    for (const [, opening] of openings)
      if (opening !== null && !used.has(opening.host)) opening.host?.retire();
  };

  return {
    loaded: () => adapters,
    loadAll: (anew) => Effect.promise(() => loadAll(anew)),
    close: () =>
      Effect.sync(() => {
        for (const { host } of hosted.values()) host?.end();
      }),
  };
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

const openInProcess = async (manifest: PluginManifest): Promise<OpenedPlugin> => {
  const module: unknown = await import(pathToFileURL(manifest.entry).href).catch((cause: unknown) => {
    throw new PluginRefusal(`Its code cannot be loaded: ${messageOf(cause)}`, { cause });
  });
  const root = { ...(module as Record<string, unknown>) };
  const { createServerAdapter } = checkedRoot(root);
  const created: unknown = await withinTime(async () => createServerAdapter()).catch((cause: unknown) => {
    throw new PluginRefusal(`createServerAdapter failed: ${messageOf(cause)}`, { cause });
  });
  return checkedAdapter(root, created);
};

const checkedRoot = (root: unknown) => {
  const checked = RootExports.safeParse(root);
  if (!checked.success)
    throw new PluginRefusal(`Its exports are incomplete: ${describeIssues(checked.error)}.`);
  return checked.data;
};

const checkedAdapter = (root: unknown, created: unknown): OpenedPlugin => {
  const { type, label, models } = checkedRoot(root);
  const checked = ServerAdapter.safeParse(created);
  if (!checked.success) {
    throw new PluginRefusal(`createServerAdapter returned no adapter: ${describeIssues(checked.error)}.`);
  }
  if (checked.data.type !== type) {
    throw new PluginRefusal(`Its root exports say type "${type}", its adapter "${checked.data.type}".`);
  }
  return { type, label, models, adapter: created as AgentAdapter };
};

/** What a host says of a package, before anybody has checked it. */
interface Exported {
  readonly root: Readonly<Record<string, unknown>>;
  readonly creates: boolean;
  readonly adapter: Readonly<Record<string, unknown>> | null;
}

/** Opens a package in a process of its own; one that has died is started again when it is next called. */
const openHosted = async (
  manifest: PluginManifest,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly opened: OpenedPlugin; readonly host: PluginHost }> => {
  const start = () => openHost(manifest, { env });
  const first = await start();
  let current: Promise<PluginHost> | PluginHost = first;
  let retired = false;
  const host: PluginHost = {
    ...first,
    // What has died is opened anew by the next call, and need not be for a reload of others.
    isThere: () => !retired,
    retire: () => {
      retired = true;
      void Promise.resolve(current).then(
        (now) => now.retire(),
        () => undefined,
      );
    },
    end: () => {
      retired = true;
      void Promise.resolve(current).then(
        (now) => now.end(),
        () => undefined,
      );
    },
    call: async (method, context, ...more) => {
      let now = await Promise.resolve(current).catch(() => null);
      if (now === null || (!now.isThere() && !retired)) {
        current = start();
        now = await current;
      }
      return now.call(method, context, ...more);
    },
  };
  try {
    const { root, creates, adapter } = first.exported as Exported;
    const exportsOf = creates ? { ...root, createServerAdapter: () => undefined } : root;
    const methods = Object.fromEntries(
      first.methods
        .filter((name) => hostedMethods.has(name))
        .map((name) => [
          name,
          (context: object, ...more: readonly unknown[]) => host.call(name, context, ...more),
        ]),
    );
    return { opened: checkedAdapter(exportsOf, { ...adapter, ...methods }), host };
  } catch (error) {
    host.end();
    throw error;
  }
};

/** A session codec is not among them: it answers at once, which a process of its own cannot. The service needs none. */
const hostedMethods = new Set([
  "execute",
  "testEnvironment",
  "listModels",
  "listSkills",
  "syncSkills",
  "detectModel",
]);

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

/** Opens a package for a look and ends it again. Throws PluginRefusal where it is no adapter package. */
export const inspectPlugin = async (
  manifest: PluginManifest,
  env: Readonly<Record<string, string>>,
): Promise<OpenedPlugin> => {
  const { opened, host } = await openHosted(manifest, env).catch((error: unknown) => {
    throw error instanceof PluginRefusal ? error : new PluginRefusal(messageOf(error), { cause: error });
  });
  host.end();
  return opened;
};
