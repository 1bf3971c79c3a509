import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

const pidFile = "postmaster.pid";
const pollMs = 20;
const stragglersMs = 5_000;
/** No system assigns this pid, so PostgreSQL sees at once that the process is gone. */
const pidOfNobody = 2_147_483_646;

/** The parts of postmaster.pid that matter here. */
interface Recorded {
  readonly pid: number;
  /** Epoch seconds. */
  readonly startedAtSec: number;
}

/**
 * Prepares a claimed cluster for a new server. Stops a server that has outlived its service. Where postmaster.pid names
 * a live process that is no server of this cluster (pids are reused, most of all in containers), replaces the pid with
 * an unused one, because PostgreSQL would refuse to start. It also refuses one that names no process, as a power loss
 * leaves a file that was just written.
 */
export const clearLeftover = async (cluster: string, log: (line: string) => void): Promise<void> => {
  const recorded = await readPidFile(cluster);
  if (recorded === null) return;
  if (recorded === "unreadable") {
    log("postmaster.pid names no process, as after a power loss; it is removed.");
    await killStragglers(cluster);
    await rm(join(cluster, pidFile));
    return;
  }
  if (!exists(recorded.pid)) return;
  if (isServerOf(recorded, cluster)) {
    log(`A server of an earlier service (pid ${recorded.pid}) still runs on the database; it is stopped.`);
    await end(recorded, cluster);
    await killStragglers(cluster);
    return;
  }
  log(`postmaster.pid names process ${recorded.pid}, which is no server of this database; it is corrected.`);
  // Replaces the number only: PostgreSQL uses the line about shared memory to find orphaned backends.
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

/** Kills the backends of a dead postmaster, because they hold the shared memory. */
export const killStragglers = async (cluster: string): Promise<void> => {
  const until = performance.now() + stragglersMs;
  for (const pid of backendsIn(cluster)) signal(pid, "SIGKILL");
  // A backend that the kernel blocks (a stuck disk) makes the next attempt fail with PostgreSQL's own message.
  while (backendsIn(cluster).length > 0 && performance.now() < until) await pause();
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It has exited meanwhile.
  }
};

const readPidFile = async (cluster: string): Promise<Recorded | "unreadable" | null> => {
  const text = await readFile(join(cluster, pidFile), "utf8").catch(() => null);
  if (text === null) return null;
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 0 ? { pid, startedAtSec: Number(lines[2]) } : "unreadable";
};

/** Judges as PostgreSQL does: a zombie exists, and so does a process that we may not signal. */
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

/** A server's working directory is its data directory. The state follows the name: Z and X are dead. */
const worksIn = (pid: number, cluster: string): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    if (!stat.includes("(postgres)") || /^[ZXx]/.test(stat.slice(stat.lastIndexOf(")") + 2))) return false;
    return readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch {
    return false;
  }
};

/** Without /proc: matches a postgres that started when the file says, within two seconds. */
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

/** Stops the server as a supervisor does: fast, immediate, kill. */
const end = async (recorded: Recorded, cluster: string): Promise<void> => {
  for (const [name, ms] of [
    ["SIGINT", 10_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", Number.POSITIVE_INFINITY],
  ] as const) {
    const until = performance.now() + ms;
    // Checked each time: the watchdog of the old service may have been faster.
    if (!isServerOf(recorded, cluster)) return;
    signal(recorded.pid, name);
    while (performance.now() < until) {
      if (!isServerOf(recorded, cluster)) return;
      await pause();
    }
  }
};

const pause = () => new Promise((done) => setTimeout(done, pollMs));
