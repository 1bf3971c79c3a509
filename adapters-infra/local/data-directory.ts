import { ftruncateSync, mkdirSync, readFileSync, writeSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { clause } from "../../core/model/shared/sentence.ts";
import type { LocalProcess } from "../../ports/process-runner.ts";
import { type ExclusiveLock, takeExclusiveLock } from "./exclusive-lock.ts";
import { isDiskFull, withRemedy } from "./full-disk.ts";
import { processTable } from "./process-table.ts";

/** A data directory that this process owns until the scope closes or the process ends. */
export interface DataDirectory {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
}

/** Another process uses the directory. */
export class DataDirectoryInUse extends Data.TaggedError("DataDirectoryInUse")<{
  readonly path: string;
  /** null when the owner has not written its pid yet. */
  readonly pid: number | null;
  readonly message: string;
}> {}

/** The directory cannot be created, entered or locked. */
export class DataDirectoryUnusable extends Data.TaggedError("DataDirectoryUnusable")<{
  readonly path: string;
  readonly message: string;
}> {}

/** Holds the lock and the pid of the owner, for the message to a second process. */
const lockName = "lock";
const maxHolderChecks = 5;
const pollMs = 20;

/**
 * Claims a directory for this process and creates a missing one (0700). The claim is a kernel lock on `<path>/lock`: it
 * ends with the process, SIGKILL included; a reused pid cannot imitate it; two starting processes cannot both get it;
 * and it works between containers that share the directory.
 */
export const claimDataDirectory = (
  path: string,
): Effect.Effect<DataDirectory, DataDirectoryInUse | DataDirectoryUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => claim(resolve(path)),
      catch: (error) =>
        error instanceof DataDirectoryInUse
          ? error
          : new DataDirectoryUnusable({
              path,
              message: unusable(path, (error as Error).message),
            }),
    }),
    ({ lock }) =>
      Effect.sync(() => {
        ftruncateSync(lock.descriptor);
        lock.release();
      }),
  ).pipe(Effect.map(({ directory }) => directory));

const unusable = (path: string, why: string): string => {
  const message = `The data directory ${path} cannot be used: ${clause(why)}`;
  return isDiskFull(why) ? withRemedy(message, path) : `${message}. Choose another with SERVICE_DATA_DIR.`;
};

const claim = async (path: string): Promise<{ directory: DataDirectory; lock: ExclusiveLock }> => {
  // The asynchronous one names a disk without inodes as ENOENT (Node 20).
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const real = await realpath(path);
  const file = join(real, lockName);
  const lock = await takeExclusiveLock(file);
  if (lock === null) throw inUse(real, await holder(file));

  // Network file systems may grant the lock and forget it; the recorded identity still tells.
  const recorded = readIdentity(file);
  if (recorded !== null && recorded.pid !== process.pid && isLiving(recorded)) {
    lock.release();
    throw inUse(real, recorded.pid);
  }
  ftruncateSync(lock.descriptor);
  const own = processTable().identify(process.pid);
  writeSync(lock.descriptor, JSON.stringify({ pid: process.pid, startedAt: own?.startedAt ?? "" }), 0);
  return { directory: { path: real }, lock };
};

const inUse = (path: string, pid: number | null) =>
  new DataDirectoryInUse({
    path,
    pid,
    message:
      `The data directory ${path} is in use by ${pid === null ? "another process" : `process ${pid}`}. ` +
      "Stop that one first, or give this one a directory of its own with SERVICE_DATA_DIR.",
  });

/** The owner writes its pid just after it has locked; until then the file may hold a predecessor's. */
const holder = async (file: string): Promise<number | null> => {
  for (let check = 1; ; check++) {
    const recorded = readIdentity(file);
    if (recorded !== null && isLiving(recorded)) return recorded.pid;
    if (check === maxHolderChecks) return recorded?.pid ?? null;
    await new Promise((done) => setTimeout(done, pollMs));
  }
};

const readIdentity = (file: string): LocalProcess | null => {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(file, "utf8")) as Partial<LocalProcess>;
    return typeof pid === "number" && typeof startedAt === "string" ? { pid, startedAt } : null;
  } catch {
    return null;
  }
};

const isLiving = (identity: LocalProcess): boolean =>
  processTable().find(identity.pid)?.startedAt === identity.startedAt;
