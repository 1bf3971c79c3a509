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
  /** Text of the package's UI parser, where it has one of our contract's major version. */
  readonly uiParser: string | null;
}

/** The adapters of this service process. */
export interface AdapterRegistry {
  /** Loaded adapters by type. A claim asks only for these. */
  loaded(): ReadonlyMap<string, LoadedAdapter>;
  /** Loads every package known; one that is broken is reported in the log and left out. */
  loadAll(
    /** Type of an adapter whose code is read again, although it is loaded. */
    anew?: string,
  ): Effect.Effect<void>;
  /** Ends what runs strangers' packages. */
  close(): Effect.Effect<void>;
}
