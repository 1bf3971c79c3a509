import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { attempt } from "./attempt.ts";

/** The controllers that keep the limits of runs. */
const controllers = ["memory", "pids"] as const;

/** Below the service's group: the service itself, because a group with controllers for others holds no processes. */
const leafName = "boardroom-service";

/** Where groups of runs may be made, and whether the kernel keeps limits in them. */
export interface GroupRoot {
  readonly folder: string;
  /** A sentence with a remedy: why it keeps none; null where it does. */
  readonly gap: string | null;
}

/** The facts that decide whether the service may divide its control group among runs. */
export interface GroupFacts {
  readonly path: string;
  /** It is the root of the machine, not of a container. */
  readonly isRoot: boolean;
  readonly offered: readonly string[];
  /** The controllers that its children have already. */
  readonly enabled: readonly string[];
  readonly isWritable: boolean;
  /** Of a unit of systemd; null: systemd does not manage it. */
  readonly isDelegated: boolean | null;
  /** Its programs that the service has not started, nor is. */
  readonly otherPrograms: readonly string[];
}

const remedy =
  "Start the service as a systemd unit with Delegate=yes (see the operations page), or as the only program of a group that it may write.";

/** Returns a sentence: why the service may not divide its group; null where the group is its own. */
export const whyNotDivided = (facts: GroupFacts): string | null => {
  const { path } = facts;
  const has = (names: readonly string[]) => controllers.every((name) => names.includes(name));
  if (!has(facts.offered))
    return `The control group ${path} (version 2) has no ${controllers.filter((name) => !facts.offered.includes(name)).join(" and ")} controller. On a system with version 1, boot with systemd.unified_cgroup_hierarchy=1.`;
  if (!facts.isWritable) return `The service may not write its control group ${path}. ${remedy}`;
  if (facts.isDelegated === false)
    return `The control group ${path} belongs to systemd, which has not delegated it. ${remedy}`;
  if (facts.isRoot && !has(facts.enabled))
    return `The service is in the root control group of the machine. ${remedy}`;
  if (!facts.isRoot && facts.otherPrograms.length > 0)
    return `The control group ${path} also holds ${facts.otherPrograms.slice(0, 3).join(", ")}. ${remedy}`;
  return null;
};

/**
 * Returns the folder of a process's group from its `mountinfo` and its `cgroup`; null without control groups of version
 * 2. A container may see a part of the tree only.
 */
export const groupFolder = (mountinfo: string, cgroup: string): string | null => {
  const path = /^0::(\/.*)$/m.exec(cgroup)?.[1];
  if (path === undefined) return null;
  for (const line of mountinfo.split("\n")) {
    if (!/ - cgroup2 /.test(line)) continue;
    const [, , , root = "/", point = ""] = line.split(" ");
    const within = relative(root, path);
    if (!within.startsWith("..")) return join(point, within);
  }
  return null;
};

/** Finds the root of the service's groups without changing anything; null without control groups of version 2. */
export const findGroupRoot = (): GroupRoot | null => {
  const own = groupFolder(read("/proc/self/mountinfo"), read("/proc/self/cgroup"));
  if (own === null) return null;
  // A service that this process has started before has divided it.
  const folder = basename(own) === leafName ? dirname(own) : own;
  return { folder, gap: whyNotDivided(factsOf(folder)) };
};

/** Moves the service into a group of its own and turns on the controllers for groups next to it. */
export const divideGroupRoot = ({ folder, gap }: GroupRoot): GroupRoot => {
  if (gap !== null) return { folder, gap };
  const leaf = join(folder, leafName);
  const isRoot = isRootGroup(folder);
  try {
    if (!isRoot) {
      mkdirSync(leaf, { recursive: true });
      // A program that starts meanwhile is in the old group, and one may have ended.
      for (let tries = 0; tries < 100 && ours(folder).length > 0; tries += 1)
        for (const pid of ours(folder)) attempt(() => writeFileSync(join(leaf, "cgroup.procs"), `${pid}`));
      // Refused where others have entered the group.
      enable(folder);
    }
    return { folder, gap: null };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return {
      folder,
      gap: `The control group ${folder} cannot be divided (${code ?? message}). ${remedy}`,
    };
  }
};

/** Turns on the controllers for the children of a group. */
export const enable = (folder: string): void =>
  writeFileSync(join(folder, "cgroup.subtree_control"), controllers.map((name) => `+${name}`).join(" "));

const factsOf = (folder: string): GroupFacts => {
  const words = (file: string) => read(join(folder, file)).trim().split(" ");
  const isWritable = (file: string) =>
    attempt(() => {
      accessSync(join(folder, file), constants.W_OK);
      return true;
    }) === true;
  return {
    path: folder,
    isRoot: isRootGroup(folder),
    offered: words("cgroup.controllers"),
    enabled: words("cgroup.subtree_control"),
    isWritable: ["", "cgroup.procs", "cgroup.subtree_control"].every(isWritable),
    // Read only where it decides.
    get isDelegated() {
      return isDelegated(folder);
    },
    get otherPrograms() {
      return processesIn(folder)
        .filter((pid) => !isOurs(pid))
        .map((pid) => `${read(`/proc/${pid}/comm`).trim() || "a program of another namespace"} (${pid})`);
    },
  };
};

const isRootGroup = (folder: string): boolean => !existsSync(join(folder, "cgroup.type"));

const processesIn = (folder: string): readonly number[] =>
  read(join(folder, "cgroup.procs")).split("\n").filter(Boolean).map(Number);

const ours = (folder: string): readonly number[] => processesIn(folder).filter(isOurs);

/** Whether it is this process or one that it has started. */
const isOurs = (pid: number): boolean => {
  for (let at = pid; at > 0; ) {
    if (at === process.pid) return true;
    const stat = read(`/proc/${at}/stat`);
    at = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
  }
  return false;
};

/** Asks systemd, whose units are its own even where this process may write their files. */
const isDelegated = (folder: string): boolean | null => {
  const unit = basename(folder);
  if (!/\.(?:service|scope|slice)$/.test(unit)) return null;
  const manager = /\/user@\d+\.service\//.test(folder) ? ["--user"] : [];
  // To an ordinary user the system's own systemd gives only the files of what it delegates.
  if (manager.length === 0 && process.getuid?.() !== 0) return true;
  const content = attempt(() =>
    execFileSync("systemctl", [...manager, "show", "--property=Delegate", "--value", "--", unit], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 5_000,
    }),
  );
  return content?.trim() === "yes";
};

const read = (file: string): string => attempt(() => readFileSync(file, "utf8")) ?? "";
