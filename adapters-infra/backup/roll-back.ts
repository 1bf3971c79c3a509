import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeMigration } from "../../core/model/backups/backup-kind.ts";
import { createFileOnce } from "../local/create-file-once.ts";
import { readMigrations } from "../postgres/migrate.ts";
import { BackupFailed } from "./backup-failures.ts";
import type { Installation } from "./installation.ts";
import { contentsOf } from "./manifest.ts";
import { checkBackup } from "./read-backup.ts";
import { type RestoreProgress, type RestoreReport, restoreBackup } from "./restore-backup.ts";
import { rollbackMarker, writtenByRestore } from "./restore-marker.ts";
import { syncFolder } from "./write-whole-file.ts";

/** Of the exchange, which begins when a copy of the backup is complete. */
export const exchangeStages = ["begun", "former_away", "restored_in_place", "exchanged"] as const;
export type ExchangeStage = (typeof exchangeStages)[number];

export interface RollbackProgress extends Omit<RestoreProgress, "stage"> {
  readonly stage: RestoreProgress["stage"] | ExchangeStage;
}

export interface RollbackReport extends RestoreReport {
  readonly file: string;
  /** The folder with what the upgrade had. */
  readonly former: string;
}

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** The newest backup that an upgrade made. */
const newestBackup = async (dataDir: string): Promise<string> => {
  const folder = join(dataDir, "backups");
  const names = (await namesIn(folder)).filter((name) => beforeMigration.test(name)).sort();
  const newest = names.at(-1);
  if (newest === undefined)
    throw new BackupFailed(
      `${folder} has no backup of an upgrade. Restore another one with \`boardroom restore\`.`,
    );
  return join(folder, newest);
};

/**
 * Puts the backup of the last upgrade of the embedded database back, with the version that made it. It is restored next to
 * the present state and takes its place by renames; from the first of them on a marker keeps a service from starting, and
 * a repeated rollback finishes them. What was there stays in a folder of its own.
 */
export const rollBack = async (
  installation: Installation,
  onProgress: (progress: RollbackProgress) => void = () => {},
): Promise<RollbackReport> => {
  const { dataDir, databaseUrl, version } = installation;
  if (databaseUrl !== null)
    throw new BackupFailed(
      "Upgrades don't back up a database server. Restore your own backup into an empty database with `boardroom restore`.",
    );
  const file = await newestBackup(dataDir);
  const restored = join(dataDir, "rollback");
  const claim = await installation.claim(dataDir);
  try {
    const { manifest } = await checkBackup({ path: file, passphrase: null });
    const known = (await readMigrations()).at(-1)?.version ?? 0;
    if (manifest.schemaVersion < known)
      throw new BackupFailed(
        `The backup is of version ${manifest.serviceVersion} (schema version ${manifest.schemaVersion}), and version ${version} would migrate it again. Install the former version, then run \`boardroom upgrade rollback\` with it.`,
      );
    const begun = await readFile(join(dataDir, rollbackMarker), "utf8").catch(() => null);
    const former = begun?.trim() ?? `before-rollback-${new Date().toISOString().replace(/[-:]/g, "")}`;
    if (begun === null) {
      await restoreInto(installation, file, restored, onProgress);
      await createFileOnce(join(dataDir, rollbackMarker), `${former}\n`);
    }
    const tell = (stage: ExchangeStage) => onProgress({ stage, blobs: manifest.blobs.count });
    await syncFolder(dataDir);
    tell("begun");
    await mkdir(join(dataDir, former), { recursive: true, mode: 0o700 });
    for (const name of writtenByRestore) {
      if (!(await namesIn(restored)).includes(name)) continue;
      if ((await readdir(dataDir)).includes(name))
        await rename(join(dataDir, name), join(dataDir, former, name));
      tell("former_away");
      await rename(join(restored, name), join(dataDir, name));
      tell("restored_in_place");
    }
    tell("exchanged");
    await rm(restored, { recursive: true, force: true });
    await syncFolder(dataDir);
    await rm(join(dataDir, rollbackMarker), { force: true });
    await syncFolder(dataDir);
    return { ...contentsOf(manifest), dataDir, withKey: false, file, former: join(dataDir, former) };
  } finally {
    await claim.close();
  }
};

const restoreInto = async (
  installation: Installation,
  file: string,
  folder: string,
  onProgress: (progress: RestoreProgress) => void,
): Promise<void> => {
  // Of a rollback that was killed before it took any place.
  await rm(folder, { recursive: true, force: true });
  const masterKey =
    installation.masterKey ??
    (await readFile(join(installation.dataDir, "master.key"), "utf8").catch(() => null));
  await restoreBackup(
    { ...installation, masterKey: masterKey?.trim() ?? null, dataDir: folder },
    { path: file, passphrase: null, onProgress },
  );
};
