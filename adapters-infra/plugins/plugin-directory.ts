import type { LoadedAdapter } from "../../ports/adapter-registry.ts";

/** Where an adapter package lies. */
export interface PluginDirectory {
  readonly directory: string;
  readonly source: LoadedAdapter["source"];
  /** Of an external adapter: the type it was installed as, and where it comes from. */
  readonly entry?: InstalledFrom;
}

export interface InstalledFrom {
  readonly type: string | null;
  readonly packageName: string | null;
  readonly localPath: string | null;
  readonly version: string | null;
  /** Known before it is looked at; it is shown, and not opened. */
  readonly problem?: string;
  /** Says in a sentence what is wrong with what lies there; null where nothing is. */
  readonly check?: () => Promise<string | null>;
}

/** Something to tell the operator about a package. */
export interface PluginProblem extends PluginDirectory {
  /** error: left out. warn: loaded, with something missing. */
  readonly level: "warn" | "error";
  readonly message: string;
}
