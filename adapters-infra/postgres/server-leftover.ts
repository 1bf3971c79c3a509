import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";

const pidFile = "postmaster.pid";
const pollMs = 20;
const stragglersMs = 5_000;
/** No system gives out such a number, so PostgreSQL sees at once that the process is gone. */
const pidOfNobody = 2_147_483_646;

/** A postmaster.pid as far as it matters here. */
interface Recorded {
  readonly pid: number;
  /** Epoch seconds. */
  readonly startedAtSec: number;
}

/**
 * Clears the way for a new server on a cluster that this process has claimed. A server that has outlived its service
 * is stopped. A postmaster.pid that names a living process which is no server of this cluster (pids come again,
 * most of all in containers) is pointed at nobody: PostgreSQL would refuse to start because of it.
 */
export const clearLeftover = async (cluster: string, log: (line: string) => void): Promise<void> => {
  const recorded = await readPidFile(cluster);
  if (recorded === null || !exists(recorded.pid)) return;
  if (isServerOf(recorded, cluster)) {
    log(`A server of an earlier service (pid ${recorded.pid}) still runs on the database; it is stopped.`);
    await end(recorded, cluster);
    await killStragglers(cluster);
    return;
  }
  log(`postmaster.pid names process ${recorded.pid}, which is no server of this database; it is corrected.`);
  // Only the number is replaced: by the line about shared memory PostgreSQL still finds orphaned backends.
  const file = await open(join(cluster, pidFile), "r+");
  try {
    const rest = (await file.readFile("utf8")).split("\n").slice(1);
    const text = [pidOfNobody, ...rest].join("\n");
    await file.truncate(0);
    await file.write(text, 0);
  } finally {
    await file.close();
  }
};

/** Kills what is left of a server whose postmaster is gone: its backends hold the shared memory. */
export const killStragglers = async (cluster: string): Promise<void> => {
  const until = performance.now() + stragglersMs;
  for (const pid of backendsIn(cluster)) signal(pid, "SIGKILL");
  // One that the kernel does not let go (a stuck disk) makes the next attempt fail, with PostgreSQL's own sentence.
  while (backendsIn(cluster).length > 0 && performance.now() < until) await pause();
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It has left by itself meanwhile.
  }
};

const readPidFile = async (cluster: string): Promise<Recorded | null> => {
  const text = await readFile(join(cluster, pidFile), "utf8").catch(() => null);
  if (text === null) return null;
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 0 ? { pid, startedAtSec: Number(lines[2]) } : null;
};

/** As PostgreSQL asks: a zombie exists, a process that we may not signal exists. */
const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

const isServerOf = (recorded: Recorded, cluster: string): boolean =>
  process.platform === "linux" ? worksIn(recorded.pid, cluster) : startedThen(recorded);

/** A server lives in its data directory. The state is behind the name: Z and X are dead. */
const worksIn = (pid: number, cluster: string): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    if (!stat.includes("(postgres)") || /^[ZXx]/.test(stat.slice(stat.lastIndexOf(")") + 2))) return false;
    return readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch {
    return false;
  }
};

/** Without /proc: a postgres that began when the file says, to the second or two. */
const startedThen = ({ pid, startedAtSec }: Recorded): boolean => {
  try {
    const line = execFileSync("ps", ["-o", "stat=,lstart=,comm=", "-p", String(pid)], {
      env: { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" },
      encoding: "utf8",
    }).trim();
    const found = /^(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(line);
    if (found === null || found[1]!.startsWith("Z") || !/(^|\/)postgres$/.test(found[3]!.trim()))
      return false;
    return Math.abs(Date.parse(found[2]!) / 1000 - startedAtSec) <= 2;
  } catch {
    return false;
  }
};

const backendsIn = (cluster: string): number[] =>
  process.platform === "linux"
    ? readdirSync("/proc")
        .map(Number)
        .filter((pid) => Number.isInteger(pid) && worksIn(pid, cluster))
    : [];

/** As a supervisor ends it: fast, immediate, by force. */
const end = async (recorded: Recorded, cluster: string): Promise<void> => {
  for (const [name, ms] of [
    ["SIGINT", 10_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", Number.POSITIVE_INFINITY],
  ] as const) {
    const until = performance.now() + ms;
    // Asked each time: the watchdog of the old service may have been quicker.
    if (!isServerOf(recorded, cluster)) return;
    signal(recorded.pid, name);
    while (performance.now() < until) {
      if (!isServerOf(recorded, cluster)) return;
      await pause();
    }
  }
};

const pause = () => new Promise((done) => setTimeout(done, pollMs));
