import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { type ServerAccount, spawnAs } from "./server-account.ts";

/** How a server ended. */
export interface ServerExit {
  /** For people: "exit code 1", "signal SIGKILL", or why the start failed. */
  readonly how: string;
  /** The last lines of its output, oldest first. */
  readonly lastLines: readonly string[];
}

/** One running postmaster. */
export interface ServerProcess {
  /** undefined when the start failed. */
  readonly pid: number | undefined;
  /** true once it accepts connections, false when it ended before. */
  readonly ready: Promise<boolean>;
  readonly exited: Promise<ServerExit>;
  /** Stops cleanly if possible, otherwise by force. */
  stop(): Promise<void>;
}

export interface ServerStart {
  readonly account: ServerAccount;
  readonly postgres: string;
  /** Absolute path of the database cluster. */
  readonly cluster: string;
  readonly settings: readonly string[];
  readonly log: (line: string) => void;
}

const maxErrorLines = 30;
const cleanStopMs = 15_000;
const quickStopMs = 5_000;

/** Messages of every start and stop, and of clients that connect in between. */
const routine = [
  /^LOG: {2}(starting PostgreSQL|listening on|database system (was shut down|is ready|is shut down)|shutting down)/,
  /^LOG: {2}(received (fast|smart) shutdown|aborting any active|background worker .* exited with exit code [01]$)/,
  /^FATAL: {2}the database system is (starting up|shutting down|not yet accepting connections|in recovery mode)/,
  /^FATAL: {2}terminating connection/,
];

/**
 * Returns the directory as the server sees it. Its account may not be able to enter the path, because the data
 * directory has mode 0700 or is in /root; but the server starts inside it, and its own working directory is always
 * accessible. PostgreSQL stays in its data directory.
 */
export const clusterAsSeenBy = (account: ServerAccount, cluster: string): string =>
  account.kind === "self" || process.platform !== "linux" ? cluster : "/proc/self/cwd";

/** Starts a postmaster; `ready` and `exited` report its progress. */
export const startServer = (start: ServerStart): ServerProcess => {
  try {
    return attend(
      spawnAs(
        start.account,
        start.postgres,
        ["-D", clusterAsSeenBy(start.account, start.cluster), ...start.settings],
        // A session of its own: Ctrl-C in a terminal must reach the service, which stops its server last.
        { cwd: start.cluster, stdio: ["ignore", "ignore", "pipe"], detached: true },
      ),
      start,
    );
  } catch (error) {
    // Node emits some errors of spawn and throws others.
    return {
      pid: undefined,
      ready: Promise.resolve(false),
      exited: Promise.resolve({ how: (error as Error).message, lastLines: [] }),
      stop: async () => {},
    };
  }
};

const attend = (child: ChildProcess, start: ServerStart): ServerProcess => {
  const watchdog = child.pid === undefined ? null : watchOver(start.account, child.pid);
  const lastLines: string[] = [];
  let becameReady: (ready: boolean) => void = () => {};
  const ready = new Promise<boolean>((resolve) => {
    becameReady = resolve;
  });

  createInterface({ input: child.stderr! }).on("line", (line) => {
    if (line.includes("database system is ready to accept connections")) becameReady(true);
    if (routine.some((known) => known.test(line))) return;
    lastLines.push(line);
    if (lastLines.length > maxErrorLines) lastLines.shift();
    start.log(`PostgreSQL: ${line}`);
  });

  const exited = new Promise<ServerExit>((resolve) => {
    const ended = (how: string) => {
      watchdog?.kill("SIGKILL");
      becameReady(false);
      resolve({ how, lastLines });
    };
    child.once("error", (error) => ended(error.message));
    // "close" would come late: backends that outlive a killed postmaster keep standard error open.
    child.once("exit", (code, signal) =>
      setImmediate(ended, signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  });

  const endsWithin = (ms: number) =>
    new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      void exited.then(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });

  return {
    pid: child.pid,
    ready,
    exited,
    stop: async () => {
      // "Fast", then "immediate" (the next start replays the log), then SIGKILL.
      child.kill("SIGINT");
      if (await endsWithin(cleanStopMs)) return;
      child.kill("SIGQUIT");
      if (await endsWithin(quickStopMs)) return;
      child.kill("SIGKILL");
      await exited;
    },
  };
};

/**
 * Stops the server when this service has died, even by SIGKILL: a shell waits for the end of a pipe that only this
 * process holds. Without a shell, the next start finds and stops the server.
 */
const watchOver = (account: ServerAccount, pid: number): ChildProcess | null => {
  try {
    const child = spawnAs(account, "/bin/sh", ["-c", `read -r _; kill -INT ${pid}`], {
      cwd: "/",
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    child.once("error", () => {});
    child.stdin?.on("error", () => {});
    child.unref();
    return child;
  } catch {
    return null;
  }
};
