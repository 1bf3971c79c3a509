import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

/**
 * Runs a program of the system that reads paths of a run: one of them may belong to a file system whose server is the
 * run's own and never answers. Returns its output; null: it takes too long, or an earlier one still does.
 */
export type OutputOf = (
  command: string,
  args: readonly string[],
  withinMs?: number,
) => Promise<string | null>;

const timeoutMs = 5_000;
const maxTextBytes = 16 * 2 ** 20;

/** The programs that read paths of one run. One of them at most waits in the kernel, where no signal ends it, until its run has ended. */
export const boundedOutput = (): OutputOf => {
  let waiting = 0;
  return (command, args, withinMs = timeoutMs) => {
    if (waiting > 0) return Promise.resolve(null);
    return new Promise((resolve) => {
      let isLate = false;
      const options = { env: { PATH: "/usr/bin:/bin", LC_ALL: "C" }, maxBuffer: maxTextBytes };
      const child = execFile(command, args, options, (_, text) => {
        clearTimeout(timer);
        if (isLate) waiting -= 1;
        // Some of the paths may be gone; it prints the others.
        resolve(text);
      });
      const timer = setTimeout(() => {
        isLate = true;
        waiting += 1;
        child.kill("SIGKILL");
        child.stdout?.destroy();
        child.stderr?.destroy();
        child.unref();
        resolve(null);
      }, withinMs);
    });
  };
};

/** Reads that wait in the kernel, of processes whose memory is locked. Each holds one of the service's four threads. */
const waiting = new Set<string>();
const mostWaiting = 2;
const readMs = 1_000;

/** Reads a file of /proc that the kernel takes from a process's memory. null: it is gone, closed to the service, or takes too long. */
export const readOfProcess = async (
  path: string,
  read: (path: string) => Promise<Buffer> = readFile,
): Promise<Buffer | null> => {
  if (waiting.has(path) || waiting.size >= mostWaiting) return null;
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      waiting.add(path);
      resolve(null);
    }, readMs);
    read(path)
      .catch(() => null)
      .then((text) => {
        clearTimeout(timer);
        waiting.delete(path);
        resolve(text);
      });
  });
};
