import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Control groups (cgroup v2), one for each run: whoever was born in one stays in it, whatever it forgets or forks. */
export interface RunGroups {
  /** Puts a program that has just been started into the run's group, with all that it starts from now on. */
  join(runId: string, pid: number): void;
  /** Who is in the group now. Empty where there is none. */
  members(runId: string): ReadonlySet<number>;
  /** SIGKILL to all of them at once, which no fork can outrun. */
  kill(runId: string): void;
  /** Forgets the group, where nobody is in it any more. */
  forget(runId: string): void;
  /** Runs with living processes in their group. */
  inhabited(): readonly string[];
}

/** null where the kernel has no cgroup v2, or does not let this process make groups. */
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
  return {
    join: (runId, pid) => {
      attempt(() => {
        mkdirSync(group(runId), { recursive: true });
        writeFileSync(join(group(runId), "cgroup.procs"), `${pid}`);
      });
    },
    members,
    kill: (runId) => {
      // Kernels before 5.14 have no such file; then each is killed by its number.
      attempt(() => writeFileSync(join(group(runId), "cgroup.kill"), "1", { flag: "r+" }));
    },
    forget: (runId) => {
      attempt(() => rmdirSync(group(runId)));
    },
    inhabited: () => (attempt(() => readdirSync(home)) ?? []).filter((runId) => members(runId).size > 0),
  };
};

/** Of this process, as a folder. */
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
