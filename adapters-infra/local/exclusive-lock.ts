import { spawn } from "node:child_process";
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { createServer, type Server } from "node:net";

/** A kernel lock: it ends with this process, however the process ends, and involves no pid. */
export interface ExclusiveLock {
  /** Descriptor of the locked file, open for reading and writing. */
  readonly descriptor: number;
  release(): void;
}

/** macOS and the BSDs lock in open(2); Node passes the flag through but has no name for it. */
const openExclusively = 0x20;
/** Exit code of util-linux and busybox when another process holds the lock. */
const conflict = 1;

/**
 * Locks a file and creates a missing one; returns null when another process holds the lock. Never waits. Never deletes
 * the file, because that would race with a process that has just opened it. `program` is the name of flock(1), used on
 * Linux.
 */
export const takeExclusiveLock = async (path: string, program = "flock"): Promise<ExclusiveLock | null> => {
  const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
  if (process.platform !== "linux") {
    try {
      const descriptor = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | openExclusively, 0o600);
      return { descriptor, release: () => closeSync(descriptor) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return null;
      throw error;
    }
  }

  const descriptor = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    const locked = await flock(program, descriptor);
    if (locked === "taken") return { descriptor, release: () => closeSync(descriptor) };
    if (locked === "no such program") {
      const name = await takeName(descriptor);
      if (name !== null) {
        return {
          descriptor,
          release: () => {
            name.close();
            closeSync(descriptor);
          },
        };
      }
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  closeSync(descriptor);
  return null;
};

/**
 * Node cannot call flock(2), but the lock belongs to the open file, not to the calling process: flock(1) locks the
 * descriptor it inherits and exits, and this process keeps the file open. Its children do not inherit it.
 */
const flock = (program: string, descriptor: number): Promise<"taken" | "held" | "no such program"> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, ["-x", "-n", "3"], {
      stdio: ["ignore", "ignore", "ignore", descriptor],
      env: { PATH: `${process.env.PATH ?? ""}:/usr/bin:/bin` },
    });
    child.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" || error.code === "EACCES" ? resolve("no such program") : reject(error),
    );
    child.once("exit", (code, signal) => {
      if (code === 0) resolve("taken");
      else if (code === conflict) resolve("held");
      else reject(new Error(`flock ended with ${code ?? signal}`));
    });
  });

/**
 * Replaces flock(1) on systems without it: a name in the kernel's abstract socket namespace, derived from the file's
 * identity. It works only between processes that share a network namespace.
 */
const takeName = (descriptor: number): Promise<Server | null> =>
  new Promise((resolve, reject) => {
    const { dev, ino } = fstatSync(descriptor);
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(null) : reject(error),
    );
    server.listen(`\0boardroom-lock-${dev}-${ino}`, () => resolve(server));
  });
