import { pathToFileURL } from "node:url";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import type { ConfigSchema } from "../../core/model/adapters/config-schema.ts";
import type {
  AdapterHostOptions,
  AdapterNotOpened,
  LoadedSessionCodec,
  OpenAdapter,
} from "../../ports/adapter-registry.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import type { Workspaces } from "../../ports/workspaces.ts";
import { type AdapterHost, adapterHost } from "./adapter-host.ts";
import { checkedAdapter, checkedRoot, type OpenedPlugin } from "./exported.ts";
import { messageOf } from "./plain-text.ts";
import { type PluginManifest, PluginRefusal } from "./plugin-manifest.ts";

const openTimeoutMs = 10_000;
/** Limit of one codec call, which only reads its input. */
const codecMs = 5_000;
/** Limit for a host to list its exports. */
const inspectMs = 10_000;
/** Limit for a host to begin its run: fifty that start at once on two processors need ten seconds. */
const ofRunMs = 30_000;
/** Grace for a host that only listed its exports. */
const inspectGraceSec = 1;
/** Grace for a codec host, which has no work to finish. */
const codecGraceSec = 0.5;

/** Opens a built-in package, which runs in the service's process. */
export const openInProcess = async (manifest: PluginManifest): Promise<OpenedPlugin> => {
  const module: unknown = await import(pathToFileURL(manifest.entry).href).catch((cause: unknown) => {
    throw new PluginRefusal(`Its code cannot be loaded: ${messageOf(cause)}`, { cause });
  });
  const root = { ...(module as Record<string, unknown>) };
  const { createServerAdapter } = checkedRoot(root);
  const created: unknown = await withinTime(async () => createServerAdapter()).catch((cause: unknown) => {
    throw new PluginRefusal(`createServerAdapter failed: ${messageOf(cause)}`, { cause });
  });
  const { description, adapter } = checkedAdapter(root, created);
  const { sessionCodec: codec } = adapter;
  const opened: OpenAdapter = {
    adapter,
    sessionCodec:
      codec === undefined
        ? null
        : {
            deserialize: async (raw) => codec.deserialize(raw),
            serialize: async (params) => codec.serialize(params),
            getDisplayId: async (params) => codec.getDisplayId(params),
          },
  };
  return { ...description, open: () => Effect.succeed(opened) };
};

/** Starts hosts of an external adapter's package. */
export interface Hosts {
  readonly processes: ProcessRunner;
  /** Creates the working folder of an inspection. */
  readonly workspaces: Workspaces;
  /** Returns a fresh run id for work outside a run. */
  readonly mark: () => string;
}

/** Inspects an external package: checks its exports and ends its host before it returns. */
export const openHosted = (
  manifest: PluginManifest,
  hosts: Hosts,
  /** Held while code of the package runs. */
  whileInUse: Effect.Effect<void, never, Scope.Scope> = Effect.void,
): Effect.Effect<OpenedPlugin, PluginRefusal> => {
  const startHost = (at: AdapterHostOptions, openMs = ofRunMs) =>
    Effect.andThen(whileInUse, adapterHost(hosts.processes, manifest, at, openMs));
  return Effect.gen(function* () {
    const workspace = yield* Effect.mapError(
      hosts.workspaces.temporary(null),
      ({ message }) => new PluginRefusal(message),
    );
    const around = { stop: new AbortController().signal, onStarted: () => Effect.void };
    const inspected = yield* checkedHost(
      yield* startHost({ ...around, runId: hosts.mark(), workspace, graceSec: inspectGraceSec }, inspectMs),
    );
    const { type } = inspected.description;
    const open = (at: AdapterHostOptions): Effect.Effect<OpenAdapter, AdapterNotOpened, Scope.Scope> =>
      Effect.gen(function* () {
        const { description, adapter, hasCodec } = yield* checkedHost(yield* startHost(at));
        if (description.type !== type)
          return yield* Effect.fail(
            new PluginRefusal(`It was loaded as ${type}, and is of type ${description.type} now.`),
          );
        return {
          adapter,
          sessionCodec: hasCodec ? yield* hostedCodec(startHost({ ...at, ...ofCodec })) : null,
        };
      });
    return {
      ...inspected.description,
      configSchema: withoutPatterns(inspected.description.configSchema),
      open,
    };
  }).pipe(Effect.scoped);
};

/** An expression of an external adapter could occupy the service without end, so none is evaluated. */
const withoutPatterns = <Schema extends ConfigSchema | null>(schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema), (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    const { pattern, ...rest } = part as Readonly<Record<string, unknown>>;
    return typeof pattern === "string" ? rest : part;
  }) as Schema;

const hostedMethods = [
  "execute",
  "testEnvironment",
  "listModels",
  "listSkills",
  "syncSkills",
  "detectModel",
] as const;
const codecMethods = ["deserialize", "serialize", "getDisplayId"] as const;

/** Checks the exports of a package in a host. */
const checkedHost = (host: AdapterHost) =>
  Effect.try({
    try: () => {
      const { exported, methods, codec } = host.opened;
      const root = exported.creates
        ? { ...exported.root, createServerAdapter: () => undefined }
        : exported.root;
      const calls = Object.fromEntries(
        hostedMethods
          .filter((name) => methods.includes(name))
          .map((name) => [
            name,
            (context: object, ...more: readonly unknown[]) => host.call(name, { context, more }),
          ]),
      );
      const checked = checkedAdapter(root, { ...exported.adapter, ...calls });
      const without = codecMethods.find((name) => !codec.includes(name));
      if (codec.length > 0 && without !== undefined)
        throw new PluginRefusal(
          `createServerAdapter returned no adapter: sessionCodec.${without}: must be a function.`,
        );
      return { ...checked, hasCodec: codec.length > 0 };
    },
    catch: (error) => error as PluginRefusal,
  });

/** The run's process is the host of the run itself. */
const ofCodec = { graceSec: codecGraceSec, onStarted: () => Effect.void };

/**
 * Runs a session codec in its own host, started with the first call and again after a failure: a stuck codec blocks no
 * run.
 */
const hostedCodec = (startHost: Effect.Effect<AdapterHost, PluginRefusal, Scope.Scope>) =>
  Effect.gen(function* () {
    const around = yield* Effect.scope;
    const runPromise = Effect.runPromiseWith(yield* Effect.context<never>());
    let current: { readonly host: Promise<AdapterHost>; readonly scope: Scope.Closeable } | null = null;
    const start = async () => {
      const scope = await runPromise(Scope.fork(around));
      current = { scope, host: runPromise(Effect.provideService(startHost, Scope.Scope, scope)) };
      return current;
    };
    const ask = async (name: (typeof codecMethods)[number], value: unknown): Promise<unknown> => {
      const asked = current ?? (await start());
      try {
        return await (await asked.host).call(`sessionCodec.${name}`, { more: [value], limitMs: codecMs });
      } catch (error) {
        if (current === asked) current = null;
        await runPromise(Scope.close(asked.scope, Exit.void));
        throw error;
      }
    };
    const codec: LoadedSessionCodec = {
      deserialize: (raw) => ask("deserialize", raw),
      serialize: (params) => ask("serialize", params),
      getDisplayId: (params) => ask("getDisplayId", params),
    };
    return codec;
  });

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
