import { basename } from "node:path";
import * as Effect from "effect/Effect";
import { readPassphrase } from "../../../adapters-infra/backup/read-passphrase.ts";
import { BackupNotTaken, type BackupTaker } from "../../../ports/backup-taker.ts";
import { type BackupProgress, makeBackup } from "../backup/make-backup.ts";
import { sentenceOf } from "../backup/sentence-of.ts";
import type { Config } from "../config.ts";
import type { Bind, Foundations } from "./foundations.ts";
import { openBackupTarget } from "./open-backup-target.ts";
import { T } from "./tokens.ts";

export const bindBackup = (bind: Bind, { config, databaseUrl }: Foundations): void => {
  bind(T.backupTaker).toConstantValue(backupTaker({ ...config, databaseUrl }));
  bind(T.backupPlan).toConstantValue({
    schedule: config.backup,
    to: config.backup?.to ?? null,
    isEncrypted: config.backup !== null && config.backup.passphraseFile !== null,
    reminds: config.backupReminder,
  });
};

/** Takes the scheduled backups of a running service; `databaseUrl`: of its server, also of the embedded one. */
export const backupTaker = (
  config: Config & { readonly databaseUrl: string },
  onProgress: (progress: BackupProgress) => void = () => {},
): BackupTaker => {
  const { to, passphraseFile } = config.backup ?? { to: "", passphraseFile: null };
  const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, BackupNotTaken> =>
    Effect.tryPromise({
      try: work,
      catch: (error) => new BackupNotTaken(sentenceOf(error)?.message ?? String(error)),
    });
  return {
    take: () =>
      attempt(async () => {
        const passphrase =
          passphraseFile === null
            ? null
            : await readPassphrase(passphraseFile, "SERVICE_BACKUP_PASSPHRASE_FILE");
        // With the key in it, the file and the passphrase are enough where the whole machine is lost.
        const { file, bytes, missingBlobs } = await makeBackup(config, {
          kind: "scheduled",
          to,
          passphrase,
          withKey: passphrase !== null,
          encrypt: passphrase !== null,
          onProgress,
        });
        return { file, bytes, missing: missingBlobs.length };
      }),
    remove: (file) =>
      attempt(async () => {
        const target = openBackupTarget(to, config);
        const name = basename(file);
        // The settings may name another place since: what is in the former one stays.
        if (target.locationOf(name) === file) await target.remove(name);
      }),
  };
};
