import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import type { StoreSizes } from "../../ports/code-stores.ts";
import type { Git } from "./run-git.ts";
import { reading, type StoreFolder, writingBoth, writingShared } from "./store-folder.ts";

/** Prepares a folder below the service's for that user alone; null: for the service's own. */
export type OwnFolder = (path: string, user: AgentUser | null) => Promise<void>;

/** Written last, so that a store whose making was killed is made again. */
const lastOf = ({ captured }: StoreFolder) => join(captured, "objects", "info", "alternates");

export const isMade = (folder: StoreFolder): boolean => existsSync(lastOf(folder));

/** Makes both stores where they are missing. The caller has the lock, whose file is in the folder. */
export const makeStores = async (
  git: Git,
  folder: StoreFolder,
  user: AgentUser | null,
  ownFolder: OwnFolder,
): Promise<void> => {
  if (isMade(folder)) return;
  // A killed `git init` leaves locks that stop the next one. Nobody pushes into a store that is not made.
  if (existsSync(folder.shared) && existsSync(folder.captured)) await clearAway(git, folder, 0);
  for (const path of [folder.shared, folder.captured]) await ownFolder(path, user);
  await git.expect({
    program: "/bin/sh",
    // Users of agents read the shared store's objects, which are bound into their workspaces.
    args: [
      "-ec",
      `git init -q --bare --template= --shared=0644 -b main "$1"
       git init -q --bare --template= -b main "$2"
       mkdir -p "$2/objects/info"
       echo "$1/objects" >"$2/objects/info/new"
       mv "$2/objects/info/new" "$2/objects/info/alternates"`,
      "sh",
      folder.shared,
      folder.captured,
    ],
    folders: writingBoth(folder),
  });
};

/** Where the lock is made before there is a store. */
export const makeRoot = ({ root }: StoreFolder): Promise<unknown> =>
  mkdir(root, { recursive: true, mode: 0o700 });

/** Pushes into the captured store take no lock, and are ended sooner. */
const pushesEndMinutes = 60;

/**
 * Deletes what killed processes left, in the captured store only what is older than that; the caller has the lock. A left lock
 * would make every later fetch fail. Returns whether anything was there.
 */
const clearAway = async (git: Git, folder: StoreFolder, keptMinutes: number): Promise<boolean> => {
  const found = await git.expect({
    program: "/bin/sh",
    args: [
      "-ec",
      `left() {
         find "$@" \\( -name '*.lock' -o -name 'tmp_*' -o -name '.tmp-*' -o -name 'incoming-*' \\) -print -prune -exec rm -rf {} +
       }
       left "$1"
       left "$2" $3`,
      "sh",
      folder.shared,
      folder.captured,
      keptMinutes === 0 ? "" : `-mmin +${keptMinutes}`,
    ],
    folders: writingBoth(folder),
    limitSec: 300,
  });
  return found.length > 0;
};

/** Clears away, and checks that every ref of the shared store is whole if there was anything to clear away. */
export const repairStores = async (git: Git, folder: StoreFolder): Promise<void> => {
  if (!isMade(folder) || !(await clearAway(git, folder, pushesEndMinutes))) return;
  await git.expect({
    args: ["--git-dir", folder.shared, "fsck", "--connectivity-only", "--no-dangling"],
    folders: reading(folder),
    limitSec: 600,
    memoryBytes: 2 * 2 ** 30,
  });
};

/** Never `gc`, `prune` or `repack -a`: workspaces borrow objects that no ref reaches any more. */
export const maintainStores = async (git: Git, folder: StoreFolder): Promise<void> => {
  if (!isMade(folder)) return;
  for (const [gitDir, folders] of [
    [folder.shared, writingShared(folder)],
    [folder.captured, writingBoth(folder)],
  ] as const)
    for (const args of [
      ["repack", "-q", "-d", "--geometric=2"],
      ["pack-refs", "--all"],
    ])
      await git.expect({
        args: ["--git-dir", gitDir, ...args],
        folders,
        limitSec: 900,
        memoryBytes: 2 * 2 ** 30,
      });
  await git.expect({
    args: ["--git-dir", folder.shared, "commit-graph", "write", "--reachable", "--no-progress"],
    folders: writingShared(folder),
    limitSec: 300,
  });
};

const bytesOf = (report: string): number =>
  ["size", "size-pack", "size-garbage"]
    .map((name) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(report)?.[1] ?? 0) * 1_024)
    .reduce((sum, each) => sum + each, 0);

export const sizesOf = async (git: Git, folder: StoreFolder): Promise<StoreSizes> => {
  if (!isMade(folder)) return { sharedBytes: 0, capturedBytes: 0 };
  const [shared, captured] = await Promise.all(
    [folder.shared, folder.captured].map((gitDir) =>
      git.expect({ args: ["--git-dir", gitDir, "count-objects", "-v"], folders: reading(folder) }),
    ),
  );
  return { sharedBytes: bytesOf(String(shared)), capturedBytes: bytesOf(String(captured)) };
};

export const removeStores = ({ root }: StoreFolder): Promise<void> =>
  rm(root, { recursive: true, force: true });
