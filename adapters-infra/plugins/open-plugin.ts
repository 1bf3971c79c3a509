import { pathToFileURL } from "node:url";
import type { LoadedSessionCodec } from "../../ports/adapter-registry.ts";
import { checkedAdapter, checkedRoot, type OpenedPlugin } from "./exported.ts";
import { messageOf } from "./plain-text.ts";
import { type HostOptions, openHost, type PluginHost } from "./plugin-host.ts";
import { type PluginManifest, PluginRefusal } from "./plugin-manifest.ts";

const openTimeoutMs = 10_000;
/** Of one question to a session codec: it only looks at what it is given. */
const codecMs = 5_000;

/** Ours run in the service's own process. */
export const openInProcess = async (manifest: PluginManifest): Promise<OpenedPlugin> => {
  const module: unknown = await import(pathToFileURL(manifest.entry).href).catch((cause: unknown) => {
    throw new PluginRefusal(`Its code cannot be loaded: ${messageOf(cause)}`, { cause });
  });
  const root = { ...(module as Record<string, unknown>) };
  const { createServerAdapter } = checkedRoot(root);
  const created: unknown = await withinTime(async () => createServerAdapter()).catch((cause: unknown) => {
    throw new PluginRefusal(`createServerAdapter failed: ${messageOf(cause)}`, { cause });
  });
  const opened = checkedAdapter(root, created);
  const { sessionCodec: codec } = opened.adapter;
  return {
    ...opened,
    sessionCodec:
      codec === undefined
        ? null
        : {
            deserialize: async (raw) => codec.deserialize(raw),
            serialize: async (params) => codec.serialize(params),
            getDisplayId: async (params) => codec.getDisplayId(params),
          },
  };
};

/** A host that is started again when it is next called, where it has died. */
export interface KeptHost extends Pick<PluginHost, "retire" | "end" | "isThere"> {
  call: PluginHost["call"];
}

export interface HostedPlugin {
  readonly opened: OpenedPlugin;
  readonly host: KeptHost;
}

/** Opens a package in a process of its own. */
export const openHosted = async (
  manifest: PluginManifest,
  options: HostOptions,
  /** Told of each process, before anything is asked of it but what it exports. */
  onHost: (host: PluginHost) => void = () => undefined,
): Promise<HostedPlugin> => {
  const start = async () => {
    const host = await openHost(manifest, options);
    onHost(host);
    return host;
  };
  const first = await start();
  const host = kept(first, start);
  try {
    const { exported, methods, codec } = first.opened;
    const root = exported.creates
      ? { ...exported.root, createServerAdapter: () => undefined }
      : exported.root;
    const made = Object.fromEntries(
      hostedMethods
        .filter((name) => methods.includes(name))
        .map((name) => [
          name,
          (context: object, ...more: readonly unknown[]) => host.call(name, { context, more }),
        ]),
    );
    const hasCodec = codec.length > 0;
    const without = codecMethods.find((name) => !codec.includes(name));
    if (hasCodec && without !== undefined)
      throw new PluginRefusal(
        `createServerAdapter returned no adapter: sessionCodec.${without}: must be a function.`,
      );
    return {
      opened: {
        ...checkedAdapter(root, { ...exported.adapter, ...made }),
        sessionCodec: hasCodec ? hostedCodec(host) : null,
      },
      host,
    };
  } catch (error) {
    host.end();
    throw error;
  }
};

const kept = (first: PluginHost, start: () => Promise<PluginHost>): KeptHost => {
  let current: Promise<PluginHost> | PluginHost = first;
  let retired = false;
  const finish = (how: "retire" | "end", why?: string) => {
    retired = true;
    void Promise.resolve(current).then(
      (now) => (how === "end" ? now.end(why) : now.retire()),
      () => undefined,
    );
  };
  return {
    // What has died is opened anew by the next call, and need not be for a reload of others.
    isThere: () => !retired,
    retire: () => finish("retire"),
    end: (why) => finish("end", why),
    call: async (method, asked) => {
      const held = current;
      let now = await Promise.resolve(held).catch(() => null);
      if ((now === null || !now.isThere()) && !retired) {
        // Only the first of those who find it dead starts it again.
        if (current === held) current = start();
        now = await current;
      }
      if (now === null) throw new Error("It could not be started.");
      const askedAt = performance.now();
      try {
        return await now.call(method, asked);
      } catch (error) {
        // It does not answer at all, not only this: whoever asks next shall not wait for it.
        const isCodec = method.startsWith("sessionCodec.");
        if (isCodec && now.isThere() && !now.hasSpokenSince(askedAt))
          now.end("was stuck in its session codec");
        throw error;
      }
    },
  };
};

const hostedMethods = ["execute", "testEnvironment", "listModels", "listSkills", "syncSkills", "detectModel"];
const codecMethods = ["deserialize", "serialize", "getDisplayId"] as const;

const hostedCodec = (host: KeptHost): LoadedSessionCodec => {
  const ask = (name: (typeof codecMethods)[number], value: unknown) =>
    host.call(`sessionCodec.${name}`, { more: [value], limitMs: codecMs });
  return {
    deserialize: (raw) => ask("deserialize", raw),
    serialize: (params) => ask("serialize", params),
    getDisplayId: (params) => ask("getDisplayId", params),
  };
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
