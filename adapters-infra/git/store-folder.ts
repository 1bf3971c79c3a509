import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { StoreOf } from "../../ports/code-stores.ts";
import { StoreFailed } from "../../ports/code-stores.ts";
import type { SeenFolder } from "./run-git.ts";

/** The folders of a repository's stores: of the service itself, with a git directory each of git's user. */
export interface StoreFolder {
  readonly root: string;
  readonly shared: string;
  readonly captured: string;
  /** Locked for fetch, publish, maintenance and repair; never by pushes and readers. */
  readonly lock: string;
}

export const storeFolder = (repositories: string, { companyId, repositoryId }: StoreOf): StoreFolder => {
  const root = join(repositories, companyId, repositoryId);
  return {
    root,
    shared: join(root, "shared.git"),
    captured: join(root, "kept.git"),
    lock: join(root, "lock"),
  };
};

export const reading = ({ shared, captured }: StoreFolder): readonly SeenFolder[] => [
  { path: shared, access: "read" },
  { path: captured, access: "read" },
];

export const writingShared = ({ shared, captured }: StoreFolder): readonly SeenFolder[] => [
  { path: shared, access: "write" },
  { path: captured, access: "read" },
];

export const writingCaptured = ({ shared, captured }: StoreFolder): readonly SeenFolder[] => [
  { path: shared, access: "read" },
  { path: captured, access: "write" },
];

export const writingBoth = ({ shared, captured }: StoreFolder): readonly SeenFolder[] => [
  { path: shared, access: "write" },
  { path: captured, access: "write" },
];

/** A lock on a file between processes; null: another one has it. */
export type TakeLock = (path: string) => Promise<{ release(): void } | null>;

/** How long a caller waits for the lock of another service. */
const lockWaitMs = 15 * 60_000;

/** One holder at a time for each repository, in this process and among the services of the disk. */
export class StoreLocks {
  readonly #take: TakeLock;
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(take: TakeLock) {
    this.#take = take;
  }

  async within<A>(folder: StoreFolder, work: () => Promise<A>): Promise<A> {
    const before = this.#last.get(folder.root) ?? Promise.resolve();
    const mine = before.then(() => this.#locked(folder, work));
    const done = mine.catch(() => {});
    this.#last.set(folder.root, done);
    try {
      return await mine;
    } finally {
      if (this.#last.get(folder.root) === done) this.#last.delete(folder.root);
    }
  }

  async #locked<A>({ lock }: StoreFolder, work: () => Promise<A>): Promise<A> {
    const since = performance.now();
    for (let waitMs = 10; ; waitMs = Math.min(waitMs * 2, 500)) {
      const ownLock = await this.#take(lock);
      if (ownLock !== null)
        try {
          return await work();
        } finally {
          ownLock.release();
        }
      if (performance.now() - since > lockWaitMs)
        throw new StoreFailed("Another service has locked the repository for too long.");
      await pause(waitMs);
    }
  }
}
