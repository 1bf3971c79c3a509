import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { access, constants, lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import { takeExclusiveLock } from "../../adapters-infra/local/exclusive-lock.ts";
import { embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import { memoryFolder } from "./memory-folder.ts";
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
  readonly cluster: TestCluster;
  /** The database directory of a service that has started once. */
  readonly prepared: string;
}> => {
  const cache = await cacheDirectory();
  const runs = await ownDirectory(join(memoryFolder(), `boardroom-runs-${user}`));
  const prepared = join(cache, `clusters-${key}`);
  await sweep(cache, runs, prepared);
  if ((await lstat(prepared).catch(() => null)) === null) await prepare(cache, prepared, key);

  const directory = join(runs, randomBytes(8).toString("hex"));
  await copied(ofRuns(prepared), directory);
  const server = await start(directory);
  const stop = async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return { cluster: { url: server.url, stop }, prepared: ofServices(prepared) };
};

/** The cluster of a service that has started once. */
const ofServices = (prepared: string) => join(prepared, "service");
/** The same with the template of tests, a third more to copy. */
const ofRuns = (prepared: string) => join(prepared, "run");

/** Preserves owners: the database server of root runs as another user. */
const copied = (from: string, to: string) => promisify(execFile)("cp", ["-a", from, to]);

const prepare = async (cache: string, prepared: string, key: string): Promise<void> => {
  // Under another name until it is complete.
  const growing = await ownDirectory(join(cache, `growing-${randomBytes(8).toString("hex")}`));
  try {
    await during(ofServices(growing), migrateDatabase);
    await copied(ofServices(growing), ofRuns(growing));
    await during(ofRuns(growing), (url) => ensureTemplate(url, key));
  } catch (error) {
    await rm(growing, { recursive: true, force: true });
    throw error;
  }
  // Another run may have finished first; its clusters are equivalent.
  await rename(growing, prepared).catch(() => rm(growing, { recursive: true, force: true }));
};

const during = async (directory: string, work: (url: string) => Promise<unknown>): Promise<void> => {
  const server = await start(directory);
  try {
    await work(server.url);
  } finally {
    await server.stop();
  }
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

const user = process.getuid?.() ?? "user";

/** Next to the packages; where those are read-only, in the system's temporary directory. One per user. */
const cacheDirectory = async (): Promise<string> => {
  const packages = join(import.meta.dirname, "../../node_modules");
  const writable = await access(packages, constants.W_OK).then(
    () => true,
    () => false,
  );
  return ownDirectory(
    writable
      ? join(packages, `.cache/boardroom/test-clusters-${user}`)
      : join(tmpdir(), `boardroom-test-clusters-${user}`),
  );
};

const ownDirectory = async (path: string): Promise<string> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if ((await lstat(path)).uid !== process.getuid?.()) throw new Error(`${path} belongs to another user`);
  return path;
};

/**
 * Removes copies of killed runs and former schemas. A live run holds the lock of its directory. Ages count from the
 * ctime, because a copy keeps the mtime of its original.
 */
const sweep = async (cache: string, runs: string, current: string): Promise<void> => {
  const within = async (folder: string) => (await readdir(folder)).map((name) => join(folder, name));
  for (const directory of [...(await within(runs)), ...(await within(cache))]) {
    const entry = await lstat(directory).catch(() => null);
    const isFormer = /^clusters?-/.test(basename(directory));
    const patienceMs = isFormer ? 100 * abandonedAfterMs : abandonedAfterMs;
    if (entry === null || directory === current || Date.now() - entry.ctimeMs < patienceMs) continue;
    const lock = await takeExclusiveLock(join(directory, "lock")).catch(() => null);
    if (lock === null) continue;
    await rm(directory, { recursive: true, force: true });
    lock.release();
  }
};
