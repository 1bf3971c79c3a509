import type { LoadedAdapter } from "../../ports/adapter-registry.ts";

/** The location of an adapter package. */
export interface PluginDirectory {
  readonly directory: string;
  readonly source: LoadedAdapter["source"];
  /** Type and source of an external adapter at its installation. */
  readonly entry?: InstalledFrom;
}

export interface InstalledFrom {
  readonly type: string | null;
  readonly packageName: string | null;
  readonly localPath: string | null;
  readonly version: string | null;
  /** A problem known before inspection; the package is listed but not opened. */
  readonly problem?: string;
  /** Returns a sentence about what is wrong with the folder; null where nothing is. */
  readonly check?: () => Promise<string | null>;
}

/** A problem of a package, for the operator. */
export interface PluginProblem extends PluginDirectory {
  /** error: the package is not loaded. warn: it is loaded with a part missing. */
  readonly level: "warn" | "error";
  readonly message: string;
}
