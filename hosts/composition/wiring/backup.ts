import { measureWorkspaces } from "../../../adapters-infra/backup/agent-files.ts";
import { backupTaker } from "../../../adapters-infra/backup/backup-taker.ts";
import {
  type BackupReport,
  type MakeBackup,
  makeBackup,
} from "../../../adapters-infra/backup/make-backup.ts";
import type { BackupFile } from "../../../adapters-infra/backup/read-backup.ts";
import { readPassphrase } from "../../../adapters-infra/backup/read-passphrase.ts";
import {
  type RestoreBackup,
  type RestoreProgress,
  restoreBackup,
} from "../../../adapters-infra/backup/restore-backup.ts";
import { type RollbackProgress, rollBack } from "../../../adapters-infra/backup/roll-back.ts";
import { sentenceOf } from "../../../adapters-infra/backup/sentence-of.ts";
import { verifyBackup } from "../../../adapters-infra/backup/verify-backup.ts";
import { takeLowestPriority } from "../../../adapters-infra/local/lowest-priority.ts";
import type { Config } from "../config.ts";
import type { Bind, Foundations } from "./foundations.ts";
import { installationOf } from "./installation.ts";
import { T } from "./tokens.ts";

/** Binds the scheduled backups of a running service. */
export const bindBackup = (bind: Bind, { config, databaseUrl }: Foundations): void => {
  bind(T.backupTaker).toConstantValue(
    backupTaker(
      installationOf({ ...config, databaseUrl }),
      config.backup ?? { to: "", passphraseFile: null },
    ),
  );
  bind(T.backupPlan).toConstantValue({
    schedule: config.backup,
    to: config.backup?.to ?? null,
    isEncrypted: config.backup !== null && config.backup.passphraseFile !== null,
    reminds: config.backupReminder,
  });
};

export type { BackupReport };

/** Backups of the installation of the settings, for hosts. */
export const backups = {
  make: (config: Config, command: MakeBackup) => makeBackup(installationOf(config), command),
  measureWorkspaces,
  yieldProcessor: takeLowestPriority,
  restore: (config: Config, command: RestoreBackup) => restoreBackup(installationOf(config), command),
  rollBack: (config: Config, onProgress?: (progress: RollbackProgress) => void) =>
    rollBack(installationOf(config), onProgress),
  verify: (config: Config, file: BackupFile, onProgress?: (progress: RestoreProgress) => void) =>
    verifyBackup(installationOf(config), file, onProgress),
  readPassphrase,
  sentenceOf,
};
