import { basename } from "node:path";
import * as Effect from "effect/Effect";
import { BackupNotTaken, type BackupTaker } from "../../ports/backup-taker.ts";
import type { Installation } from "./installation.ts";
import { type BackupProgress, makeBackup } from "./make-backup.ts";
import { readPassphrase } from "./read-passphrase.ts";
import { sentenceOf } from "./sentence-of.ts";

/** The place and the passphrase of scheduled backups. */
export interface ScheduledBackups {
  readonly to: string;
  /** null: the file is not encrypted. */
  readonly passphraseFile: string | null;
}

/** Takes the scheduled backups of a running service, whose installation names its database, also the embedded one. */
export const backupTaker = (
  installation: Installation,
  { to, passphraseFile }: ScheduledBackups,
  onProgress: (progress: BackupProgress) => void = () => {},
): BackupTaker => {
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
        const { file, bytes, missingBlobs } = await makeBackup(installation, {
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
        const target = installation.target(to);
        const name = basename(file);
        // The settings may name another place since: what is in the former one stays.
        if (target.locationOf(name) === file) await target.remove(name);
      }),
  };
};
