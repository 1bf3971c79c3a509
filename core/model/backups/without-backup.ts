import { refusal } from "../shared/failure.ts";
import { type Instant, secondsBetween } from "../shared/instant.ts";
import {
  type BackupSchedule,
  backupTrouble,
  type GoodBackup,
  type ScheduledBackups,
} from "./backup-schedule.ts";

/** The operator's settings of backups. */
export interface BackupPlan {
  /** null: none are scheduled. */
  readonly schedule: BackupSchedule | null;
  /** A folder, or an address in S3; null: none are scheduled. */
  readonly to: string | null;
  readonly isEncrypted: boolean;
  /** Whether admins hear of an installation that has no backup. */
  readonly reminds: boolean;
}

/** Backups made with `boardroom backup`. The database records only the last one. */
export interface ManualBackups {
  /** Since when the database is in use. */
  readonly installedAt: Instant;
  /** null: none, or not since the database was restored. */
  readonly last: GoodBackup | null;
}

export class BackupsNotScheduled extends refusal(
  "backups_not_scheduled",
  "unprocessable",
  "Backups have no destination yet. Set SERVICE_BACKUP_TO to a folder or an S3 address, and restart the service.",
) {}

export class BackupOfHeldCopy extends refusal(
  "backup_of_held_copy",
  "conflict",
  "This is a restored copy, which takes no backups until you release its agents.",
) {}

/** Returns why no backup can be requested, or null. */
export const refusalOfBackup = (
  { schedule }: BackupPlan,
  isHeldCopy: boolean,
): BackupsNotScheduled | BackupOfHeldCopy | null =>
  schedule === null ? new BackupsNotScheduled() : isHeldCopy ? new BackupOfHeldCopy() : null;

/** The newest backup, whether it was scheduled or made by the command. */
export const lastBackupOf = (
  scheduled: ScheduledBackups | null,
  { last }: ManualBackups,
): GoodBackup | null => {
  const [newest = null] = scheduled?.kept ?? [];
  if (newest === null || last === null) return newest ?? last;
  return newest.at < last.at ? last : newest;
};

const secondsPerDay = 86_400;
/** After so many days without a backup, the inbox of admins says so. */
const daysWithout = 7;

export interface BackupProblem {
  readonly kind: "failed_backup" | "no_backup";
  readonly sentence: string;
  readonly since: Instant;
}

/**
 * Judges the backups of an installation: scheduled ones by whether they succeed in time, and where none are scheduled by the age
 * of the last one. null: nothing is wrong.
 */
export const judgeBackups = (
  { schedule, reminds }: BackupPlan,
  scheduled: ScheduledBackups | null,
  manual: ManualBackups,
  at: Instant,
): BackupProblem | null => {
  if (schedule !== null) {
    const sentence = scheduled === null ? null : backupTrouble(scheduled, at);
    return scheduled === null || sentence === null
      ? null
      : { kind: "failed_backup", sentence, since: scheduled.failure?.at ?? scheduled.dueAt };
  }
  const last = lastBackupOf(scheduled, manual);
  const since = last?.at ?? manual.installedAt;
  const days = Math.floor(secondsBetween(since, at) / secondsPerDay);
  if (!reminds || days < daysWithout) return null;
  const age =
    last === null ? "There is no backup of this installation." : `The last backup is ${days} days old.`;
  return {
    kind: "no_backup",
    sentence: `${age} If its disk fails, everything ${last === null ? "" : "since "}is lost. Set SERVICE_BACKUP_TO to back up every day, or run \`boardroom backup\`.`,
    since,
  };
};
