import { execFile, execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from "node:fs";
import { hostname } from "node:os";
import { promisify } from "node:util";
import type { InstallationId } from "../../core/model/shared/ids.ts";
import type { LocalProcess, ProcessIdentity } from "../../ports/process-runner.ts";
import { readOfProcess } from "./bounded-output.ts";

/** The environment variables that identify every process of a run: run ids of a restored copy are those of its original. */
export const runIdVariable = "SERVICE_RUN_ID";
export const installationVariable = "SERVICE_INSTALLATION_ID";

/** One live process as the kernel describes it. */
export interface ProcessEntry extends LocalProcess {
  /** Orders processes by start time, in a unit of the system; null where the system reports it too coarsely. */
  readonly bornAt: number | null;
  readonly parentPid: number;
  readonly groupId: number;
  /** The process group where the system does not report sessions (macOS). */
  readonly sessionId: number;
}

export interface MarkedProcessEntry extends ProcessEntry {
  /**
   * Returns the run id in the initial environment, read once; null if it has none, is of another installation, or is
   * unreadable.
   */
  runIdOf(installation: InstallationId): Promise<string | null>;
}

/** The processes of this machine. Zombies count as dead. */
export interface ProcessTable {
  /**
   * Returns the live process of that pid; null if none exists. Synchronous, so that nothing runs between it and a
   * signal.
   */
  find(pid: number): ProcessEntry | null;
  /** Returns the identity of a child just started, even when it has ended already. */
  identify(pid: number): Pick<ProcessEntry, keyof LocalProcess | "bornAt"> | null;
  /** Like `identify`, from what another process of the service has read of it in the kernel's table. */
  parse(stat: string): Pick<ProcessEntry, keyof LocalProcess | "bornAt"> | null;
  list(): Promise<readonly MarkedProcessEntry[]>;
}

/** Identifies a process; by its pid alone where the system reports nothing else. */
export const localProcess = (table: ProcessTable, pid: number): LocalProcess => ({
  pid,
  startedAt: table.identify(pid)?.startedAt ?? "unknown",
});

export const identityOf = ({ pid, startedAt }: LocalProcess): ProcessIdentity => ({
  kind: "process",
  name: String(pid),
  uid: startedAt,
});

/** Returns null for what is no process of a machine. */
export const processOf = ({ kind, name, uid }: ProcessIdentity): LocalProcess | null =>
  kind === "process" ? { pid: Number(name), startedAt: uid } : null;

export const processTable = (): ProcessTable => {
  const table = process.platform === "linux" ? procTable() : psTable();
  return { ...table, list: shared(table.list) };
};

/** The pause before the next scan, as a multiple of the duration of the last one. */
const restPerScan = 6;
const longestRestMs = 20;

/**
 * Shares one scan among all callers that wait before it begins. Each scan takes a rest after the last, in proportion to
 * what it took: the ends of many runs then read the table together, and take a seventh of the time of a processor at
 * most.
 */
const shared = <A>(scan: () => Promise<A>): (() => Promise<A>) => {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<A> | null = null;
  let restUntil = 0;
  const scanAgain = async (): Promise<A> => {
    await last;
    const restMs = restUntil - performance.now();
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    next = null;
    const from = performance.now();
    try {
      return await scan();
    } finally {
      const now = performance.now();
      restUntil = now + Math.min(longestRestMs, restPerScan * (now - from));
    }
  };
  return () => {
    if (next !== null) return next;
    const scanned = scanAgain();
    last = scanned.catch(() => {});
    next = scanned;
    return scanned;
  };
};

interface Stat extends ProcessEntry {
  readonly dead: boolean;
}

/** Processes read before other work gets its turn. */
const readsPerTurn = 50;

const procTable = (): ProcessTable => {
  const bootId = readBootId();

  const stat = (pid: number): Stat | null => {
    const text = readOrNull(`/proc/${pid}/stat`);
    return text === null ? null : parseProcStat(text.toString("latin1"), bootId);
  };

  return {
    find: (pid) => alive(stat(pid)),
    identify: stat,
    parse: (text) => parseProcStat(text, bootId),
    list: async () => {
      const entries: MarkedProcessEntry[] = [];
      let reads = 0;
      for (const name of readdirSync("/proc")) {
        const pid = Number(name);
        if (!Number.isInteger(pid)) continue;
        if (++reads % readsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
        const entry = alive(stat(pid));
        // Process 2 is the kernel's thread daemon; its children have no environment.
        if (entry !== null && entry.parentPid !== 2) entries.push(marked(entry));
      }
      return entries;
    },
  };
};

/** Reads the environment only when a caller asks for the run: for most processes the start time is enough. */
const marked = (entry: ProcessEntry): MarkedProcessEntry => {
  let mark: Promise<RunMark | null> | null = null;
  return {
    ...entry,
    runIdOf: async (installation) => {
      mark ??= readOfProcess(`/proc/${entry.pid}/environ`).then((environment) =>
        environment === null ? null : markIn(environment),
      );
      return runIdIn(await mark, installation);
    },
  };
};

/**
 * Parses `/proc/<pid>/stat`. The command's name is in parentheses and may contain spaces and parentheses, so fields are
 * counted from the last one. Start times count from boot, so the boot is part of the identity: the same early pid at
 * the same tick recurs after a restart.
 */
export const parseProcStat = (text: string, bootId: string): Stat | null => {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  if (open < 0 || close < 0) return null;
  const fields = text.slice(close + 2).split(" ");
  const startTicks = fields[19];
  if (startTicks === undefined) return null;
  return {
    pid: Number(text.slice(0, open)),
    startedAt: `${startTicks}@${bootId}`,
    bornAt: Number(startTicks),
    parentPid: Number(fields[1]),
    groupId: Number(fields[2]),
    sessionId: Number(fields[3]),
    dead: isDeadState(fields[0] ?? ""),
  };
};

const isDeadState = (state: string): boolean => /^[ZXx]/.test(state);

const alive = (stat: Stat | null): Stat | null => (stat === null || stat.dead ? null : stat);

const readBootId = (): string =>
  readOrNull("/proc/sys/kernel/random/boot_id")?.toString("latin1").trim().slice(0, 8) ?? "";

/** Identifies machine, boot and container: services that share all three see the same processes. */
export const hostIdentity = (): string => {
  let space = "";
  try {
    space = readlinkSync("/proc/self/ns/pid");
  } catch {
    // The system has no containers of that kind.
  }
  return [hostname(), readBootId(), space].filter((part) => part !== "").join("/");
};

/** Such files have no size, for which Node would allocate 64 KiB anew for each. */
let room = Buffer.allocUnsafe(64 * 1024);

/** Returns bytes that are valid until the next call. */
const readOrNull = (path: string): Buffer | null => {
  let file: number | null = null;
  try {
    file = openSync(path, "r");
    let length = 0;
    for (;;) {
      if (length === room.length) room = Buffer.concat([room], 2 * length);
      const read = readSync(file, room, length, room.length - length, null);
      if (read === 0) return room.subarray(0, length);
      length += read;
    }
  } catch {
    // The process has ended or belongs to another user: it does not count.
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
};

interface RunMark {
  readonly runId: string;
  readonly installation: string | null;
}

const runIdIn = (mark: RunMark | null, installation: InstallationId): string | null =>
  mark !== null && mark.installation === installation ? mark.runId : null;

/** Finds the mark of a run in an environment of NUL-separated `NAME=value` entries. */
export const markIn = (environment: Buffer): RunMark | null => {
  const runId = valueIn(environment, runIdVariable);
  return runId === null ? null : { runId, installation: valueIn(environment, installationVariable) };
};

const valueIn = (environment: Buffer, name: string): string | null => {
  const marker = Buffer.from(`${name}=`);
  let at = environment.indexOf(marker);
  while (at > 0 && environment[at - 1] !== 0) at = environment.indexOf(marker, at + 1);
  if (at < 0) return null;
  const end = environment.indexOf(0, at);
  const value = environment.toString("utf8", at + marker.length, end < 0 ? environment.length : end);
  return value === "" ? null : value;
};

const psColumns = "pid=,ppid=,pgid=,stat=,lstart=";

/** For systems without /proc. It starts a `ps` for each scan: it is slower and knows start times to the second. */
const psTable = (): ProcessTable => {
  const one = (pid: number): Stat | null => {
    try {
      const text = execFileSync("ps", ["-o", psColumns, "-p", String(pid)], {
        env: psEnv(),
        encoding: "utf8",
      });
      return parsePsLine(text.trim());
    } catch {
      return null;
    }
  };
  return {
    find: (pid) => alive(one(pid)),
    identify: one,
    parse: () => null,
    list: async () => {
      const [processes, environments] = await Promise.all([
        psOutput(["-A", "-o", psColumns]),
        psOutput(["-A", "-E", "-ww", "-o", "pid=,command="]),
      ]);
      const marks = new Map<number, RunMark>();
      for (const line of environments.split("\n")) {
        const variable = (name: string) => new RegExp(`\\s${name}=(\\S+)`).exec(line)?.[1] ?? null;
        const runId = variable(runIdVariable);
        if (runId !== null)
          marks.set(Number.parseInt(line, 10), { runId, installation: variable(installationVariable) });
      }
      const entries: MarkedProcessEntry[] = [];
      for (const line of processes.split("\n")) {
        const entry = alive(parsePsLine(line.trim()));
        if (entry === null) continue;
        const mark = marks.get(entry.pid) ?? null;
        entries.push({ ...entry, runIdOf: async (installation) => runIdIn(mark, installation) });
      }
      return entries;
    },
  };
};

const psEnv = () => ({ PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" });

const psOutput = async (args: string[]): Promise<string> =>
  (await promisify(execFile)("ps", args, { env: psEnv(), maxBuffer: 256 * 1024 * 1024 })).stdout;

/** Parses a line of `ps -o pid=,ppid=,pgid=,stat=,lstart=`. */
export const parsePsLine = (line: string): Stat | null => {
  const found = /^(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*)$/.exec(line);
  if (found === null) return null;
  const [, pid, parentPid, groupId, state = "", startedAt = ""] = found;
  return {
    pid: Number(pid),
    startedAt: startedAt.replace(/\s+/g, " "),
    bornAt: null,
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    sessionId: Number(groupId),
    dead: isDeadState(state),
  };
};
