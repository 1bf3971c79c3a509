import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Control groups (cgroup v2), one per run: descendants of its processes stay in it. */
export interface RunGroups {
  /**
   * Adds a program that has just been started, and its future descendants, to the run's group. The kernel waits some
   * milliseconds before it moves a process, so this waits beside other work. Never rejects.
   */
  join(runId: string, pid: number): Promise<void>;
  /** Moves a process that another process's join has met, because it has the same number, back to the service's group. */
  leave(pid: number): Promise<void>;
  /** Returns the pids in the group. Empty without a group. */
  members(runId: string): ReadonlySet<number>;
  /** Sends SIGKILL to all of them at once, which no fork can escape. */
  kill(runId: string): void;
  /** Removes the group if it is empty. */
  forget(runId: string): void;
  /** Returns runs with live processes in their group. */
  inhabited(): readonly string[];
}

/** null where the kernel has no cgroup v2 or does not let this process create groups. */
export const runGroups = (): RunGroups | null => {
  const own = ownGroup();
  if (own === null) return null;
  const home = join(own, "boardroom-runs");
  const probe = join(home, `probe-${process.pid}`);
  try {
    mkdirSync(probe, { recursive: true });
    readFileSync(join(probe, "cgroup.procs"));
    readFileSync(join(probe, "cgroup.events"));
    rmdirSync(probe);
  } catch {
    return null;
  }
  const group = (runId: string) => join(home, runId);
  const members = (runId: string): ReadonlySet<number> => {
    const text = attempt(() => readFileSync(join(group(runId), "cgroup.procs"), "utf8")) ?? "";
    return new Set(text.split("\n").filter(Boolean).map(Number));
  };
  // One after the other: the kernel moves one process at a time, and Node has few threads to wait for it.
  let last: Promise<void> = Promise.resolve();
  const move = (folder: string, pid: number): Promise<void> => {
    last = last
      .then(() => mkdir(folder, { recursive: true }))
      .then(() => writeFile(join(folder, "cgroup.procs"), `${pid}`))
      .catch(() => {});
    return last;
  };
  return {
    join: (runId, pid) => move(group(runId), pid),
    leave: (pid) => move(own, pid),
    members,
    kill: (runId) => {
      // Kernels before 5.14 have no such file; then each process is killed by its pid.
      attempt(() => writeFileSync(join(group(runId), "cgroup.kill"), "1", { flag: "r+" }));
    },
    forget: (runId) => {
      attempt(() => rmdirSync(group(runId)));
    },
    inhabited: () => (attempt(() => readdirSync(home)) ?? []).filter((runId) => members(runId).size > 0),
  };
};

/** Returns the group of this process, as a folder. */
const ownGroup = (): string | null => {
  const mounts = attempt(() => readFileSync("/proc/self/mountinfo", "utf8")) ?? "";
  const mount = mounts
    .split("\n")
    .find((line) => / - cgroup2 /.test(line))
    ?.split(" ")[4];
  const path = /^0::(\/.*)$/m.exec(attempt(() => readFileSync("/proc/self/cgroup", "utf8")) ?? "")?.[1];
  return mount === undefined || path === undefined ? null : join(mount, path);
};

const attempt = <A>(work: () => A): A | null => {
  try {
    return work();
  } catch {
    return null;
  }
};
