import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { access, constants, lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import { takeExclusiveLock } from "../../adapters-infra/local/exclusive-lock.ts";
import { embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import { ensureTemplate, migrateDatabase } from "./migrated-template.ts";
import type { TestCluster } from "./postgres-setup.ts";

const abandonedAfterMs = 10 * 60_000;

/**
 * The service's own PostgreSQL without fsync, on a copy of a cluster that an earlier run has initialised and migrated:
 * copying takes a tenth of the time. Every run has its own copy, so several may run at once.
 */
export const embeddedCluster = async (
  key: string,
): Promise<{
  readonly cluster: TestCluster /** The directory that was copied. */;
  readonly prepared: string;
}> => {
  const cache = await cacheDirectory();
  const prepared = join(cache, `cluster-${key}`);
  await sweep(cache, prepared);
  if ((await lstat(prepared).catch(() => null)) === null) await prepare(cache, prepared, key);

  const directory = join(cache, "runs", randomBytes(8).toString("hex"));
  await mkdir(join(cache, "runs"), { recursive: true });
  // Preserves owners: the database server of root runs as another user.
  await promisify(execFile)("cp", ["-a", prepared, directory]);
  const server = await start(directory);
  const stop = async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return { cluster: { url: server.url, stop }, prepared };
};

const prepare = async (cache: string, prepared: string, key: string): Promise<void> => {
  const growing = join(cache, "runs", randomBytes(8).toString("hex"));
  const server = await start(growing);
  try {
    await ensureTemplate(server.url, key);
    // The database that a service on this cluster uses.
    await migrateDatabase(server.url);
  } catch (error) {
    await server.stop();
    await rm(growing, { recursive: true, force: true });
    throw error;
  }
  await server.stop();
  // Another run may have finished first; its cluster is equivalent.
  await rename(growing, prepared).catch(() => rm(growing, { recursive: true, force: true }));
};

const start = async (directory: string): Promise<TestCluster> => {
  const scope = await Effect.runPromise(Scope.make());
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const { url } = await Effect.runPromise(
    embeddedServer({ directory, durable: false, connections: 400, log }).pipe(
      Effect.provideService(Scope.Scope, scope),
    ),
  );
  return { url, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) };
};

/** Next to the packages; where those are read-only, in the system's temporary directory. One per user. */
const cacheDirectory = async (): Promise<string> => {
  const user = `test-clusters-${process.getuid?.() ?? "user"}`;
  const packages = join(import.meta.dirname, "../../node_modules");
  const writable = await access(packages, constants.W_OK).then(
    () => true,
    () => false,
  );
  const cache = writable ? join(packages, ".cache/boardroom", user) : join(tmpdir(), `boardroom-${user}`);
  await mkdir(cache, { recursive: true, mode: 0o700 });
  if ((await lstat(cache)).uid !== process.getuid?.()) throw new Error(`${cache} belongs to another user`);
  return cache;
};

/**
 * Removes copies of killed runs and former schemas. A live run holds the lock of its directory. Ages count from the
 * ctime, because a copy keeps the mtime of its original.
 */
const sweep = async (cache: string, current: string): Promise<void> => {
  const runs = join(cache, "runs");
  const names = (await readdir(runs).catch(() => [])).map((name) => join(runs, name));
  const former = (await readdir(cache))
    .filter((name) => name.startsWith("cluster-"))
    .map((name) => join(cache, name));
  for (const directory of [...names, ...former]) {
    const entry = await lstat(directory).catch(() => null);
    const patienceMs = names.includes(directory) ? abandonedAfterMs : 100 * abandonedAfterMs;
    if (entry === null || directory === current || Date.now() - entry.ctimeMs < patienceMs) continue;
    const lock = await takeExclusiveLock(join(directory, "lock")).catch(() => null);
    if (lock === null) continue;
    await rm(directory, { recursive: true, force: true });
    lock.release();
  }
};
