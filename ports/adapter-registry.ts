import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { AdapterModel, AgentAdapter, AgentUser } from "./agent-adapter.ts";
import type { ProcessIdentity } from "./process-runner.ts";

/** An adapter that can run agents now. */
export interface LoadedAdapter {
  readonly type: string;
  readonly label: string;
  readonly source: "builtin" | "package" | "local";
  readonly version: string;
  readonly models: readonly AdapterModel[];
  readonly agentConfigurationDoc: string;
  /** Keys of an adapterConfig that agents may set. */
  readonly agentSettableKeys: readonly string[];
  /** Which of the methods that an adapter need not have it has. */
  readonly supports: ReadonlySet<OptionalMethod>;
  /** Text of the package's UI parser, as a script, where it has one of our contract's major version. */
  readonly uiParser: string | null;
  /** Why there is none that can be used; null where there is one. */
  readonly uiParserProblem: string | null;
  /**
   * The adapter, ready to be called there. Our own run in the service; an external one runs in a host process that is
   * dead, with all that it started, when the scope has closed. Fails with a sentence where it cannot be opened any more.
   */
  open(at: HostSurroundings): Effect.Effect<OpenAdapter, AdapterNotOpened, Scope.Scope>;
}

export type OptionalMethod = "listModels" | "listSkills" | "syncSkills" | "detectModel";

/** Where an adapter's code works, and as whom. */
export interface HostSurroundings {
  /** The run, or what stands for one: by it the host and all that it starts are found. */
  readonly runId: string;
  readonly cwd: string;
  /** null: the service's own user. */
  readonly user: AgentUser | null;
  /** What this user has instead of the service's variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Between SIGTERM and SIGKILL. Positive. */
  readonly graceSec: number;
  /** Fires when the host must end. */
  readonly stop: AbortSignal;
  /** Stored before the host is asked anything. */
  readonly onStarted: (identity: ProcessIdentity) => Effect.Effect<void>;
}

export interface OpenAdapter {
  readonly adapter: AgentAdapter;
  /** null where it has none: sessions are then kept as it says them. */
  readonly sessionCodec: LoadedSessionCodec | null;
}

/** Why a loaded adapter cannot be called; a sentence for people. */
export interface AdapterNotOpened {
  readonly message: string;
}

/**
 * The session codec of an adapter, wherever its code runs. What it answers has been checked by nobody; an answer that
 * does not come in time is null.
 */
export interface LoadedSessionCodec {
  deserialize(raw: unknown): Promise<unknown>;
  serialize(params: Readonly<Record<string, unknown>>): Promise<unknown>;
  getDisplayId(params: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** An adapter this service has heard of, whether or not it can run agents. */
export interface KnownAdapter {
  /** null where not even that is known, as of a line of the registry file that makes no sense. */
  readonly type: string | null;
  readonly source: LoadedAdapter["source"] | null;
  readonly packageName: string | null;
  readonly localPath: string | null;
  readonly version: string | null;
  readonly status: "loaded" | "loading" | "failed";
  /** A sentence on one line: why it is not loaded, or why its newest code is not. */
  readonly problem: string | null;
  /** What is missing of one that is loaded. */
  readonly notes: readonly string[];
}

/** The adapters of this service process. */
export interface AdapterRegistry {
  /** Loaded adapters by type. A claim asks only for these. */
  loaded(): ReadonlyMap<string, LoadedAdapter>;
  /** Loaded, being loaded, and broken ones. */
  known(): readonly KnownAdapter[];
  /** Loads our own, and begins to load external ones, which are not waited for. */
  begin(): Effect.Effect<void>;
  /** Loads every package that is not loaded yet, and waits until that has succeeded or failed. */
  loadAll(
    /** Type of an adapter whose code is read again, although it is loaded. Where that fails, the old code stays. */
    anew?: string,
  ): Effect.Effect<void>;
  /** Ends what loads external adapters. Runs are ended by those who carry them out. */
  close(): Effect.Effect<void>;
}
