import { readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, sep } from "node:path";
import type { GrantedPath, HostPath } from "../../core/model/agents/named-paths.ts";
import type { PathClass } from "../../ports/host-paths.ts";

/** The system. A link of this machine (`/bin` to `usr/bin`) is a link inside, too. */
export const systemFolders: readonly string[] = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store"],
];

/** Programs have others of these, or none. */
const kernelFolders = ["/proc", "/sys", "/dev", "/run", "/var/run", "/var/lock"];
const temporaryFolders = ["/tmp", "/var/tmp"];

export interface PathRules {
  /** The service's data directory, links resolved: a program sees only its own parts of it. */
  readonly dataDir: string;
  /** Files and folders that every program may read, links resolved. */
  readonly shared: readonly string[];
  /** The paths that the operator's settings show to every program. */
  readonly listed: readonly GrantedPath[];
  /** The folders in which the service finds commands: agents find them there, too. */
  readonly commands: readonly GrantedPath[];
}

/** Whether the path is the folder or lies below it; both are absolute and normal. */
export const isWithin = (path: string, folder: string): boolean =>
  path.startsWith(folder) && (path.length === folder.length || folder === sep || path[folder.length] === sep);

/** Removes `.`, `..`, repeated and trailing slashes. */
export const normalPath = (path: string, from: string): string => {
  const normal = normalize(isAbsolute(path) ? path : join(from, path));
  return normal.length > 1 && normal.endsWith(sep) ? normal.slice(0, -1) : normal;
};

/**
 * Decides where a path lies, from its text. Nothing else does: settings, configurations and the mounts of
 * a run all ask it, the last two with links resolved.
 */
export const classify = (
  { dataDir, shared, listed, commands }: PathRules,
  path: string,
  /** The workspace and the home of the run. */
  own: readonly string[],
  /** Its laid out files, and what else of the service's it reads. */
  reads: readonly string[] = [],
): PathClass => {
  const never = (why: string, isPrivate = false): PathClass => ({ kind: "never", why, isPrivate });
  if (path.includes("\0") || path.length > 4_095 || !isAbsolute(path)) return never("is no absolute path");
  if (path === sep) return never("is the whole machine");
  const seen = (access: HostPath["access"], root: string): PathClass => ({
    kind: "seen",
    access,
    isRoot: root === path,
    isListed: false,
  });
  const ownRoot = own.find((folder) => isWithin(path, folder));
  if (ownRoot !== undefined) return seen("write", ownRoot);
  const readable = [...shared, ...reads].find((folder) => isWithin(path, folder));
  if (readable !== undefined) return seen("read", readable);
  if (isWithin(path, dataDir)) return never("lies in the data directory of the service");
  if (kernelFolders.some((folder) => isWithin(path, folder)))
    return never("belongs to the machine's kernel or its services", true);
  if (temporaryFolders.includes(path)) return never("holds the temporary files of the whole machine", true);
  const inList = [...listed, ...commands].filter(
    (entry) => isWithin(path, entry.path) || isWithin(path, entry.real),
  );
  if (inList.length > 0)
    return {
      kind: "seen",
      access: inList.some(({ access }) => access === "write") ? "write" : "read",
      isRoot: inList.some((entry) => entry.real === path),
      isListed: true,
    };
  const inSystem = systemFolders.find((folder) => isWithin(path, folder));
  if (inSystem !== undefined) return seen("read", inSystem);
  return { kind: "elsewhere", isPrivate: temporaryFolders.some((folder) => isWithin(path, folder)) };
};

/** Returns where a path leads, links resolved; of a path that is not there, where its existing part leads. */
export const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch (error) {
    const above = dirname(path);
    if (above === path) return path;
    // A link that leads nowhere yet.
    const target = linkTarget(path);
    if (target !== null && (error as NodeJS.ErrnoException).code !== "ELOOP")
      return normalPath(target, realPath(above));
    return join(realPath(above), path.slice(above === sep ? 1 : above.length + 1));
  }
};

const linkTarget = (path: string): string | null => {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
};
