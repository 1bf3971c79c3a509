import type * as Effect from "effect/Effect";
import type { AdapterModel, AgentAdapter } from "./agent-adapter.ts";

/** An adapter that can run agents now. */
export interface LoadedAdapter {
  readonly type: string;
  readonly label: string;
  readonly source: "builtin" | "package" | "local";
  readonly version: string;
  readonly models: readonly AdapterModel[];
  readonly adapter: AgentAdapter;
  /** null where it has none: sessions are then kept as it says them. */
  readonly sessionCodec: LoadedSessionCodec | null;
  /** Text of the package's UI parser, where it has one of our contract's major version. */
  readonly uiParser: string | null;
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
  /** Loads our own, and begins to load strangers', which are not waited for. */
  begin(): Effect.Effect<void>;
  /** Loads every package that is not loaded yet, and waits until that has succeeded or failed. */
  loadAll(
    /** Type of an adapter whose code is read again, although it is loaded. Where that fails, the old code stays. */
    anew?: string,
  ): Effect.Effect<void>;
  /** Ends what runs strangers' packages. */
  close(): Effect.Effect<void>;
}
