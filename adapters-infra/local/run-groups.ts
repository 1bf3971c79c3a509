import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { InstallationId } from "../../core/model/shared/ids.ts";
import { attempt } from "./attempt.ts";
import { divideGroupRoot, enable, findGroupRoot, type GroupRoot } from "./group-root.ts";
import { countIn, type LimitEvents } from "./limits-met.ts";

/** The limits of all processes of a run together. */
export interface GroupLimits {
  readonly memoryBytes: number;
  /** Threads count as processes. */
  readonly processes: number;
}

/** Control groups (cgroup v2), one per run: descendants of its processes stay in it. */
export interface RunGroups {
  /** Whether the kernel keeps the limits of a run in its group. */
  readonly areLimited: boolean;
  /**
   * Makes the run's group, with its limits. Returns the file by which a program enters it before its first instruction:
   * the kernel waits some milliseconds before it moves a process, which the program waits for, too.
   */
  prepare(runId: string): Promise<string>;
  /**
   * Adds a program that has just been started, and its future descendants, to the run's group: enough where the group has
   * no limits. Does nothing for a program that `hasEnded` when its turn comes, which the kernel could not move. Never
   * rejects, but may take as long as other users of the kernel keep it from moving processes.
   */
  join(runId: string, pid: number, hasEnded?: () => boolean): Promise<void>;
  /** Moves a process that another process's join has met, because it has the same number, back to the service's group. */
  leave(pid: number): Promise<void>;
  /** Returns how often the kernel has enforced the limits of the run. */
  events(runId: string): LimitEvents;
  /** Returns the pids in the group. Empty without a group. */
  members(runId: string): ReadonlySet<number>;
  /** Sends SIGKILL to all of them at once, which no fork can escape. */
  kill(runId: string): void;
  /** Removes the group if it is empty, once it is its turn. */
  forget(runId: string): void;
  /** Returns runs with live processes in their group. Removes groups that have long been empty. */
  inhabited(): readonly string[];
}

/** How the limits of runs are kept. */
export interface OpenedGroups {
  /** The groups of one installation; null where the kernel has no cgroup v2 or does not let this process create groups. */
  readonly groups: ((installation: InstallationId) => RunGroups) | null;
  /** A sentence with a remedy: why the kernel does not keep the limits of runs; null where it does. */
  readonly gap: string | null;
}

/** After this time an empty group is not about to receive its first program. */
const emptyMs = 60_000;

export const withoutGroups: OpenedGroups = {
  groups: null,
  gap: "The system has no control groups of version 2.",
};

/** Returns the gap that `openRunGroups` would find; changes nothing. */
export const groupsUnavailableReason = (): string | null => (findGroupRoot() ?? withoutGroups).gap;

/** Opens groups without limits, or, where the service's own group is delegated to it, with them. */
export const openRunGroups = (limits: GroupLimits | null = null): OpenedGroups => {
  const found = findGroupRoot();
  if (found === null) return withoutGroups;
  const root = limits === null ? found : divideGroupRoot(found);
  const home = join(root.folder, "boardroom-runs");
  try {
    mkdirSync(home, { recursive: true });
    const areLimited = limits !== null && root.gap === null;
    if (areLimited) {
      enable(home);
      limitAgain(home, limits);
    }
    probe(home);
    return {
      groups: (installation) => groupsIn(home, installation, areLimited ? limits : null),
      gap: root.gap,
    };
  } catch (error) {
    return { groups: null, gap: root.gap ?? refused(root, error as NodeJS.ErrnoException) };
  }
};

const refused = ({ folder }: GroupRoot, { code, message }: NodeJS.ErrnoException) =>
  `The service cannot make control groups in ${folder} (${code ?? message}).`;

const probe = (home: string): void => {
  const folder = join(home, `probe-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  readFileSync(join(folder, "cgroup.procs"));
  readFileSync(join(folder, "cgroup.events"));
  rmdirSync(folder);
};

const groupsIn = (home: string, installation: InstallationId, limits: GroupLimits | null): RunGroups => {
  // Copies of an installation have runs of the same ids.
  const prefix = `${installation}.`;
  const group = (runId: string) => join(home, `${prefix}${runId}`);
  /**
   * The processes are in a child of the group with the limits: a program that makes a namespace of control groups can
   * write the files of the group in which it is, and sees none above. Each group costs the kernel time, so that one
   * without limits has no child.
   */
  const inner = (runId: string) => (limits === null ? group(runId) : join(group(runId), "programs"));
  // One change after the other: the kernel carries out one at a time, and Node has few threads to wait for it.
  let last: Promise<unknown> = Promise.resolve();
  const sequentially = <A>(change: () => Promise<A>): Promise<A> => {
    const done = last.then(change);
    last = done.catch(() => {});
    return done;
  };
  const move = async (folder: string, pid: number, hasEnded = () => false): Promise<void> => {
    const moved = sequentially(async () => {
      if (hasEnded()) return;
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "cgroup.procs"), `${pid}`);
    });
    await moved.catch(() => {});
  };
  const discard = (runId: string) => void sequentially(() => remove(group(runId)));
  return {
    areLimited: limits !== null,
    prepare: (runId) =>
      sequentially(async () => {
        await mkdir(inner(runId), { recursive: true });
        if (limits !== null) await limit(group(runId), limits);
        return join(inner(runId), "cgroup.procs");
      }),
    join: (runId, pid, hasEnded) => move(inner(runId), pid, hasEnded),
    leave: (pid) => move(dirname(home), pid),
    events: (runId) => ({
      memoryKills: countIn(join(group(runId), "memory.events"), "oom_kill"),
      refusedForks: countIn(join(group(runId), "pids.events"), "max"),
    }),
    members: (runId) => new Set(isInhabited(group(runId)) ? below(group(runId)).flatMap(processesIn) : []),
    kill: (runId) => {
      // Kernels before 5.14 have no such file; then each process is killed by its pid.
      attempt(() => writeFileSync(join(group(runId), "cgroup.kill"), "1", { flag: "r+" }));
    },
    forget: discard,
    inhabited: () => {
      const inhabited: string[] = [];
      for (const name of attempt(() => readdirSync(home)) ?? []) {
        if (!name.startsWith(prefix)) continue;
        const runId = name.slice(prefix.length);
        const isPopulated = isInhabited(group(runId));
        if (isPopulated === null) continue;
        if (isPopulated) inhabited.push(runId);
        else if (isOld(group(runId))) discard(runId);
      }
      return inhabited;
    },
  };
};

/** Programs that continue from a former service are in groups that its end may have left without controllers. */
const limitAgain = (home: string, limits: GroupLimits): void => {
  for (const entry of readdirSync(home, { withFileTypes: true }))
    if (entry.isDirectory()) void limit(join(home, entry.name), limits).catch(() => {});
};

const limit = async (folder: string, { memoryBytes, processes }: GroupLimits): Promise<void> => {
  await writeFile(join(folder, "memory.max"), `${memoryBytes}`);
  await writeFile(join(folder, "pids.max"), `${processes}`);
  // All of the run or nothing: an agent that has lost a part of its programs does not know it.
  await writeFile(join(folder, "memory.oom.group"), "1");
  // Missing where the kernel has no swap.
  await writeFile(join(folder, "memory.swap.max"), "0").catch(() => {});
};

/** Returns whether the group, or one below it, has live processes; null where there is no such group. */
const isInhabited = (folder: string): boolean | null => {
  const events = attempt(() => readFileSync(join(folder, "cgroup.events"), "utf8"));
  return events === null ? null : /^populated 1$/m.test(events);
};

const isOld = (folder: string): boolean =>
  (attempt(() => Date.now() - statSync(folder).mtimeMs) ?? 0) > emptyMs;

/** Returns the group and all groups below it, the deepest last. */
const below = (folder: string): readonly string[] => {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return [
    folder,
    ...entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => below(join(folder, name))),
  ];
};

const processesIn = (folder: string): readonly number[] =>
  (attempt(() => readFileSync(join(folder, "cgroup.procs"), "utf8")) ?? "")
    .split("\n")
    .filter(Boolean)
    .map(Number);

const remove = async (folder: string): Promise<void> => {
  const failure = await rmdir(folder).catch((error: NodeJS.ErrnoException) => error);
  if (failure === undefined || failure.code === "ENOENT") return;
  // It has a group for its programs, and they may have made others.
  for (const each of [...below(folder)].reverse()) await rmdir(each).catch(() => {});
};
