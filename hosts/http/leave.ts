import { setTimeout as pause } from "node:timers/promises";

/** For the stop of everything but requests: programs with their grace, then the database. */
const restMs = 45_000;
/** For reads and look-ups whose requests have ended. */
const pendingMs = 2_000;
const pollMs = 20;

/** Kinds of work in the threads of Node's pool that may never end, such as a read of a pipe or of a disk that is away. */
const inThreads = /^(?:FSReq|Get(?:Addr|Name)Info)/;

/**
 * Ends the process, whatever its threads do. Node waits for each of them when it exits, so one
 * that reads a pipe without end would keep the process alive.
 */
export const leave = async (): Promise<never> => {
  const until = performance.now() + pendingMs;
  while (process.getActiveResourcesInfo().some((kind) => inThreads.test(kind))) {
    if (performance.now() > until) endAtOnce("its threads are waiting for a file or a name lookup");
    await pause(pollMs);
  }
  process.exit(0);
};

/** Ends the process at the latest after that time for requests and the time of the rest. */
export const leaveAtTheLatest = (requestsMs: number): void => {
  setTimeout(() => endAtOnce("its stop has taken too long"), requestsMs + restMs).unref();
};

/** Its watchdog stops the embedded database; the next start ends what is left of runs. */
const endAtOnce = (why: string): void => {
  process.stderr.write(`boardroom exits immediately: ${why}\n`);
  process.kill(process.pid, "SIGKILL");
};
