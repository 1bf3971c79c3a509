import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { makeBackup } from "../../adapters-infra/backup/make-backup.ts";
import { sentenceOf } from "../../adapters-infra/backup/sentence-of.ts";
import { dueMigrations } from "../../adapters-infra/postgres/migrate.ts";
import { beforeMigration } from "../../core/model/backups/backup-kind.ts";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import { StartFailed } from "./start-failed.ts";
import { installationOf } from "./wiring/installation.ts";

/**
 * Backs the embedded database up where it is about to be migrated. The database of a server is its operator's: there it
 * says what to do. Without the backup the service does not start, so that the way back is always there.
 */
export const backUpBeforeMigration = (
  config: Config,
  url: string,
  log: Pick<Log, "warn">,
): Effect.Effect<void, StartFailed> =>
  Effect.tryPromise({
    try: async () => {
      const due = await dueMigrations(url).catch(() => 0);
      if (due === 0) return;
      if (config.databaseUrl !== null) {
        log.warn(
          "The database of a server is migrated without a backup of the service: run `boardroom backup` before each upgrade.",
        );
        return;
      }
      if (!config.backupBeforeMigration) return;
      const { file } = await makeBackup(installationOf({ ...config, databaseUrl: url }), {
        kind: "before_migration",
        to: join(config.dataDir, "backups"),
        passphrase: null,
        withKey: false,
        encrypt: false,
      });
      await removeOlder(config.dataDir);
      log.warn(
        `The database was backed up before its migration: ${file}. To go back, install the former version and run \`boardroom upgrade rollback\`.`,
      );
    },
    catch: (error) =>
      new StartFailed({
        message: `The backup before the migration failed: ${sentenceOf(error)?.message ?? String(error)} Nothing was migrated. To migrate without a backup, set SERVICE_BACKUP_BEFORE_MIGRATION=false.`,
      }),
  });

/** Each is as large as the installation. */
const keptOnes = 2;

const removeOlder = async (dataDir: string): Promise<void> => {
  const folder = join(dataDir, "backups");
  const names = (await readdir(folder)).filter((name) => beforeMigration.test(name)).sort();
  for (const name of names.slice(0, -keptOnes)) await rm(join(folder, name), { force: true });
};
