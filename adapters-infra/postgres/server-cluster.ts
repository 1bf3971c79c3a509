import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, readFile, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ServerBinaries } from "./embedded-binaries.ts";
import { handOver, type ServerAccount, spawnAs } from "./server-account.ts";
import { clusterAsSeenBy } from "./server-process.ts";
import { dynamicSharedMemory } from "./server-settings.ts";

export const superuser = "boardroom";

/** Returns the cluster's directory below the database directory. It exists only when complete. */
export const clusterIn = (directory: string): string => join(directory, "cluster");

/** Returns the major version of PostgreSQL that made the cluster of a directory; null if none exists. */
export const clusterMajor = async (directory: string): Promise<number | null> => {
  const text = await readFile(join(clusterIn(directory), "PG_VERSION"), "utf8").catch(missing);
  return text === null ? null : Number.parseInt(text, 10);
};

/**
 * Returns the password of the server in this directory, created at the first start. Only the service's user may read
 * it.
 */
export const passwordIn = async (directory: string): Promise<string> => {
  const path = join(directory, "password");
  const stored = await readFile(path, "utf8").catch(missing);
  if (stored !== null) return stored.trim();
  if ((await lstat(clusterIn(directory)).catch(missing)) !== null) {
    throw new Error(
      `${path} is missing, and the database next to it cannot be opened without it. Restore the file`,
    );
  }
  const password = randomBytes(32).toString("base64url");
  await writeDurably(path, `${password}\n`);
  return password;
};

/**
 * Creates a missing cluster under another name and renames it: an interrupted start leaves nothing that looks like a
 * database.
 */
export const ensureCluster = async (
  directory: string,
  binaries: ServerBinaries,
  password: string,
  durable: boolean,
): Promise<void> => {
  const cluster = clusterIn(directory);
  for (const name of await readdir(directory)) {
    // An initdb that still runs may own it: the next start removes its remains, and it never meets the new one.
    if (name.includes(".initialising-"))
      await rm(join(directory, name), { recursive: true, force: true }).catch(() => {});
  }
  const growing = `${cluster}.initialising-${randomBytes(6).toString("hex")}`;
  const found = await lstat(cluster).catch(missing);
  if (found !== null) {
    if (binaries.account.kind === "user" && found.uid !== binaries.account.uid)
      await handOver(cluster, binaries.account);
    // PostgreSQL refuses a cluster that others may write to or read: Kubernetes makes each volume of a pod with `fsGroup` writable
    // for that group when it mounts it.
    if ((found.mode & 0o027) !== 0) await chmod(cluster, 0o700);
    return;
  }
  await mkdir(growing, { mode: 0o700 });
  await handOver(growing, binaries.account);
  await initialise(growing, binaries, password, durable);
  await rename(growing, cluster);
  if (durable) await syncDirectory(directory);
};

const initialise = async (
  cluster: string,
  binaries: ServerBinaries,
  password: string,
  durable: boolean,
): Promise<void> => {
  // initdb reads the password from a file that its account may not reach, so it inherits the open file.
  const passwordFile = `${cluster}.password`;
  await writeDurably(passwordFile, `${password}\n`);
  await handOver(passwordFile, binaries.account);
  const descriptor = openSync(passwordFile, "r");
  try {
    await unlink(passwordFile);
    const refused = await runInitdb(binaries.account, binaries, cluster, descriptor, durable);
    if (refused === null) return;
    if (!refused.includes("could not look up effective user ID")) throw new Error(refused);
    // Containers may assign a uid without a user; in a namespace it can look like one that has an entry.
    if ((await runInitdb({ kind: "namespace" }, binaries, cluster, descriptor, durable)) === null) return;
    throw new Error(
      `User id ${process.getuid?.()} has no entry in /etc/passwd, and PostgreSQL's initdb asks for one. ` +
        "Add the entry, run as another user, or set DATABASE_URL",
    );
  } finally {
    closeSync(descriptor);
  }
};

/** Returns null when the cluster is created, otherwise initdb's output. */
const runInitdb = (
  account: ServerAccount,
  { initdb }: ServerBinaries,
  cluster: string,
  password: number,
  durable: boolean,
): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const child = spawnAs(
      account,
      initdb,
      [
        ...["-D", clusterAsSeenBy(account, cluster), "-U", superuser],
        ...["--auth=scram-sha-256", "--pwfile=/dev/fd/3", "--encoding=UTF8"],
        ...["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
        ...["-c", `dynamic_shared_memory_type=${dynamicSharedMemory()}`],
        ...(durable ? ["--no-instructions"] : ["--no-instructions", "--no-sync"]),
      ],
      { cwd: cluster, stdio: ["ignore", "ignore", "pipe", password] },
    );
    let output = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-2_000);
    });
    child.once("error", reject);
    child.once("close", (code, signal) =>
      resolve(
        code === 0 ? null : `The database could not be made (initdb: ${code ?? signal}): ${output.trim()}`,
      ),
    );
  });

/** The file is complete or absent, also after a power cut. */
const writeDurably = async (path: string, text: string): Promise<void> => {
  const growing = `${path}.${randomBytes(6).toString("hex")}`;
  const file = await open(growing, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(growing, path);
  await syncDirectory(dirname(path));
};

const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
};

const missing = (error: NodeJS.ErrnoException): null => {
  if (error.code === "ENOENT") return null;
  throw error;
};
