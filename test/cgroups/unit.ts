import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";

const mount = "/sys/fs/cgroup";

/** Whether this process may make control groups with the controllers of runs' limits, as init does for services. */
export const hasControllers = (): boolean => {
  const file = join(mount, "cgroup.subtree_control");
  const enabled = existsSync(file) ? readFileSync(file, "utf8").trim().split(" ") : [];
  return process.getuid?.() === 0 && ["memory", "pids"].every((name) => enabled.includes(name));
};

/** A control group in which a service is started, as systemd makes one for a unit. */
export interface Unit {
  readonly folder: string;
  /** Put before the command of a program that starts in it. */
  readonly through: readonly string[];
  /** As `through`, in a group below. */
  below(name: string): readonly string[];
  /** The groups of runs that exist. */
  runs(): readonly string[];
  /** Removes it once its programs have ended. */
  remove(): void;
}

/** `owner`: the user to whom it is delegated. */
export const makeUnit = (name: string, owner?: number): Unit => {
  const folder = join(mount, `${name}-${process.pid}`);
  mkdirSync(folder);
  if (owner !== undefined)
    for (const file of ["", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control"])
      chownSync(join(folder, file), owner, owner);
  const entering = (group: string) => ["sh", "-c", `echo 0 > ${group}/cgroup.procs && exec "$@"`, "sh"];
  return {
    folder,
    through: entering(folder),
    below: (group) => entering(join(folder, group)),
    runs: () => foldersIn(join(folder, "boardroom-runs")),
    remove: () => removeAll(folder),
  };
};

const foldersIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [entry.name] : [],
      )
    : [];

const removeAll = (folder: string): void => {
  for (const name of foldersIn(folder)) removeAll(join(folder, name));
  rmdirSync(folder);
};
