import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { chown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * The account of the server. PostgreSQL refuses root, so a service started by root gives its server another identity: a
 * separate uid, or, where the container forbids changing uids, one that exists only inside a user namespace.
 */
export type ServerAccount =
  | { readonly kind: "self" }
  | { readonly kind: "user"; readonly uid: number; readonly gid: number }
  | { readonly kind: "namespace" };

/** The uid of "nobody" on practically every system. */
const defaultNobody = 65534;

/** initdb requires an entry for its user, so the entry of "nobody" counts where its number differs. */
const nobody = (): { uid: number; gid: number } => {
  try {
    const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"));
    if (entry !== null && Number(entry[1]) > 0) return { uid: Number(entry[1]), gid: Number(entry[2]) };
  } catch {
    // The smallest containers have no such file.
  }
  return { uid: defaultNobody, gid: defaultNobody };
};

/** Lists the accounts to try, best first. An existing database stays with its owner. */
export const accountsFor = async (cluster: string): Promise<readonly ServerAccount[]> => {
  if (process.getuid?.() !== 0) return [{ kind: "self" }];
  const owner = await lstat(cluster).catch(() => null);
  if (owner !== null && owner.uid !== 0) return [{ kind: "user", uid: owner.uid, gid: owner.gid }];
  return [{ kind: "user", ...nobody() }, { kind: "namespace" }];
};

/**
 * Without thresholds of its own glibc keeps more and more of what a server process has freed, as much as its largest query
 * took (10 MB became 7.5 MB per connection under load); other libraries ignore them. Half a megabyte holds what a usual
 * statement takes: with the 128 KB with which glibc begins, a statement that needs a little more gets its memory from the
 * kernel each time anew, page by page. That was a third of the database's time of an issue's detail.
 */
const keptFreedBytes = String(512 * 1024);
const returnFreedMemory = { MALLOC_TRIM_THRESHOLD_: keptFreedBytes, MALLOC_MMAP_THRESHOLD_: keptFreedBytes };

/** Starts a program under that account. It gets no environment of the service, which may hold secrets. */
export const spawnAs = (
  account: ServerAccount,
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "stdio" | "detached">,
): ChildProcess => {
  const all: SpawnOptions = {
    ...options,
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", ...returnFreedMemory },
  };
  switch (account.kind) {
    case "self":
      return spawn(command, args, all);
    case "user":
      return spawn(command, args, { ...all, uid: account.uid, gid: account.gid });
    case "namespace": {
      const { uid, gid } = nobody();
      return spawn("unshare", ["-U", `--map-user=${uid}`, `--map-group=${gid}`, command, ...args], all);
    }
  }
};

/** Gives the account a tree that root created or restored from a backup. */
export const handOver = async (path: string, account: ServerAccount): Promise<void> => {
  if (account.kind !== "user") return;
  const entry = await lstat(path);
  if (entry.isDirectory()) {
    for (const name of await readdir(path)) await handOver(join(path, name), account);
  }
  // Never follows a link: the tree may come from elsewhere. Links need no owner.
  if (!entry.isSymbolicLink()) await chown(path, account.uid, account.gid);
};
