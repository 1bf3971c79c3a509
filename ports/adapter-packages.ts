import type * as Effect from "effect/Effect";
import type {
  AdapterBuiltIn,
  AdapterNotFound,
  AdapterNotInstallable,
  AdapterTypeTaken,
} from "../core/model/adapters/adapter.ts";

/** One entry of the registry file of installed adapters. */
export interface InstalledAdapter {
  readonly id: string;
  /** null for a local package. */
  readonly packageName: string | null;
  /** Absolute; null for a package from a registry. */
  readonly localPath: string | null;
  readonly type: string;
  readonly version: string;
  /** ISO 8601. */
  readonly installedAt: string;
  /** Integrity of the archive, as the package registry states it and npm checked it. */
  readonly integrity: string | null;
}

/** The package to install, from a registry or a local folder; exactly one of the two. */
export interface InstallAdapter {
  readonly id: string;
  /** `name` or `name@version`. */
  readonly packageName?: string | undefined;
  readonly localPath?: string | undefined;
}

/** External adapters and the registry file that lists them. */
export interface AdapterPackages {
  /** Finds an adapter by the id it was installed under; null if none exists. */
  installed(id: string): Effect.Effect<InstalledAdapter | null>;
  /** Runs no script of the package. Replaces an installed package of the same name or path. */
  install(what: InstallAdapter): Effect.Effect<InstalledAdapter, AdapterNotInstallable | AdapterTypeTaken>;
  /** Removes a loaded or broken adapter. Active runs continue to their end. */
  remove(type: string): Effect.Effect<void, AdapterNotFound | AdapterBuiltIn | AdapterNotInstallable>;
  /** Loads its code again from its folder; active runs continue with the old code. */
  reload(
    type: string,
  ): Effect.Effect<InstalledAdapter, AdapterNotFound | AdapterBuiltIn | AdapterNotInstallable>;
}
