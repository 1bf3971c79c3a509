import type * as Effect from "effect/Effect";
import type {
  AdapterBuiltIn,
  AdapterNotFound,
  AdapterNotInstallable,
  AdapterTypeTaken,
} from "../core/adapters/adapter.ts";

/** One line of the registry file of installed adapters. */
export interface InstalledAdapter {
  readonly id: string;
  /** null for a local one. */
  readonly packageName: string | null;
  /** Absolute. null for one from a package registry. */
  readonly localPath: string | null;
  readonly type: string;
  readonly version: string;
  /** ISO 8601. */
  readonly installedAt: string;
  /** As the package registry said it, and as it was checked. */
  readonly integrity: string | null;
}

/** What to install: a package of the registry, or a local folder; exactly one of the two. */
export interface InstallAdapter {
  readonly id: string;
  /** `name` or `name@version`. */
  readonly packageName?: string | undefined;
  readonly localPath?: string | undefined;
}

/** Adapters that are not ours, and the file in which they are written down. */
export interface AdapterPackages {
  /** By the id it was installed under; null where there is none. */
  installed(id: string): Effect.Effect<InstalledAdapter | null>;
  /** No script of a package runs. One of the same name or place replaces the one that was there. */
  install(what: InstallAdapter): Effect.Effect<InstalledAdapter, AdapterNotInstallable | AdapterTypeTaken>;
  /** Whether it is loaded or broken. Runs under way are carried out to their end. */
  remove(type: string): Effect.Effect<void, AdapterNotFound | AdapterBuiltIn | AdapterNotInstallable>;
  /** Loads its code anew from where it lies; runs under way go on with the old. */
  reload(
    type: string,
  ): Effect.Effect<InstalledAdapter, AdapterNotFound | AdapterBuiltIn | AdapterNotInstallable>;
}
