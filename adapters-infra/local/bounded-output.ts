import { execFile } from "node:child_process";
import { closeSync, open, read } from "node:fs";
import { promisify } from "node:util";

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

const readMs = 1_000;

/** Reads a path that may never answer. null: it is gone, closed to the service, or takes too long, or others do. */
export type BoundedRead = <A>(path: string, read: (path: string) => Promise<A>) => Promise<A | null>;

/** Makes reads that hold `most` of the service's four threads at once: one that waits in the kernel keeps its thread. */
export const boundedReads = (most: number): BoundedRead => {
  let reading = 0;
  const late: string[] = [];
  let queued: (() => void)[] = [];
  return async <A>(path: string, read: (path: string) => Promise<A>) => {
    for (;;) {
      if (late.length >= most || late.includes(path)) return null;
      if (reading < most) break;
      await new Promise<void>((resolve) => queued.push(resolve));
    }
    reading += 1;
    return new Promise<A | null>((resolve) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        late.push(path);
        resolve(null);
        // None of them may be read any more.
        const all = queued;
        queued = [];
        for (const next of all) next();
      }, readMs);
      read(path)
        .catch(() => null)
        .then((found) => {
          clearTimeout(timer);
          reading -= 1;
          if (isLate) late.splice(late.indexOf(path), 1);
          resolve(found);
          queued.shift()?.();
        });
    });
  };
};

const openFile = promisify(open);
const readFrom = promisify(read);
const defaultBytes = 16 * 1024;

/** Reads a file of /proc in two turns of a thread; `readFile` takes five. */
const readWhole = async (path: string): Promise<Buffer> => {
  const descriptor = await openFile(path, "r");
  try {
    for (let bytes = defaultBytes; ; bytes *= 4) {
      const { bytesRead, buffer } = await readFrom(descriptor, Buffer.allocUnsafe(bytes), 0, bytes, 0);
      if (bytesRead < bytes) return buffer.subarray(0, bytesRead);
    }
  } finally {
    closeSync(descriptor);
  }
};

const ofProcess = boundedReads(2);

/** Reads a file of /proc that the kernel takes from a process's memory, which may be locked; null as above. */
export const readOfProcess = (path: string): Promise<Buffer | null> => ofProcess(path, readWhole);
