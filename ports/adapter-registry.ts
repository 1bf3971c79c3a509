import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { ConfigSchema } from "../core/model/adapters/config-schema.ts";
import type { Instant } from "../core/model/shared/instant.ts";
import type { AdapterModel, AgentAdapter } from "./agent-adapter.ts";
import type { ProcessIdentity } from "./process-runner.ts";
import type { Workspace } from "./workspaces.ts";

/** An adapter that can run agents now. */
export interface LoadedAdapter {
  readonly type: string;
  readonly label: string;
  readonly source: "builtin" | "package" | "local";
  readonly version: string;
  readonly models: readonly AdapterModel[];
  readonly agentConfigurationDoc: string;
  /** The schema of an adapterConfig; null where the adapter does not say. */
  readonly configSchema: ConfigSchema | null;
  /** Keys of an adapterConfig that agents may set. */
  readonly agentSettableKeys: readonly string[];
  /** Whether its agents have files on the host that runs them, and so belong to it. */
  readonly keepsFiles: boolean;
  /** The optional methods that the adapter implements. */
  readonly supports: ReadonlySet<OptionalMethod>;
  /** The package's UI parser as a script, where it has one of the service's contract version. */
  readonly uiParser: string | null;
  /** Why the package has no usable parser; null where it has one. */
  readonly uiParserProblem: string | null;
  /**
   * Opens the adapter for calls. A built-in one runs in the service; an external one runs in an adapter host, a process
   * that ends with all its descendants when the scope closes. Fails with a sentence where the adapter cannot be opened
   * any more.
   */
  open(at: AdapterHostOptions): Effect.Effect<OpenAdapter, AdapterNotOpened, Scope.Scope>;
}

export type OptionalMethod = "listModels" | "listSkills" | "syncSkills" | "detectModel";

/** The working folder, user and environment of an adapter's code. */
export interface AdapterHostOptions {
  /** The id of the run, or a substitute; it identifies the adapter host and its descendants. */
  readonly runId: string;
  /** On the service's machine. */
  readonly workspace: Workspace;
  /** Variables of the agent's configuration that the host gets in addition to those of its workspace. */
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds between SIGTERM and SIGKILL. Positive. */
  readonly graceSec: number;
  /** Fires when the adapter host must end. */
  readonly stop: AbortSignal;
  /** Called before the first call to the adapter host; stores its identity. */
  readonly onStarted: (identity: ProcessIdentity) => Effect.Effect<void>;
}

export interface OpenAdapter {
  readonly adapter: AgentAdapter;
  /** null where it has none: sessions are then stored unchanged. */
  readonly sessionCodec: LoadedSessionCodec | null;
}

/** Why a loaded adapter cannot be called; a sentence for people. */
export interface AdapterNotOpened {
  readonly message: string;
}

/**
 * The session codec of an adapter, in the service or in an adapter host. Its results are unchecked; a late one is null.
 */
export interface LoadedSessionCodec {
  deserialize(raw: unknown): Promise<unknown>;
  serialize(params: Readonly<Record<string, unknown>>): Promise<unknown>;
  getDisplayId(params: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** An adapter that this service knows, loaded or not. */
export interface KnownAdapter {
  /** null where the type is unknown, such as for an invalid entry of the registry file. */
  readonly type: string | null;
  readonly source: LoadedAdapter["source"] | null;
  readonly packageName: string | null;
  readonly localPath: string | null;
  readonly version: string | null;
  readonly status: "loaded" | "loading" | "failed";
  /** A sentence on one line: why it, or its newest code, is not loaded. */
  readonly problem: string | null;
  /** The first failure since it, or its newest code, was last loaded; null where there is no problem. */
  readonly failedAt: Instant | null;
  /** Missing parts of a loaded adapter. */
  readonly notes: readonly string[];
}

/** The adapters of this service process. */
export interface AdapterRegistry {
  /** Returns loaded adapters by type. A claim considers only these. */
  loaded(): ReadonlyMap<string, LoadedAdapter>;
  /** Returns adapters that are loaded, loading or broken. */
  known(): readonly KnownAdapter[];
  /** Loads the built-in adapters and begins to load external ones without waiting for them. */
  begin(): Effect.Effect<void>;
  /** Loads every package that is not loaded yet, and waits until that has succeeded or failed. */
  loadAll(
    /** Type of a loaded adapter whose code is read again. After a failure, the old code stays. */
    anew?: string,
  ): Effect.Effect<void>;
  /** Stops the loading of external adapters. Does not end runs. */
  close(): Effect.Effect<void>;
}
