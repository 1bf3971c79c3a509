import type { ServiceId } from "../shared/ids.ts";
import { addSeconds, type Instant } from "../shared/instant.ts";

/** How many backups are retained: the last one of each of the last days, weeks and months that have one, in UTC. */
export interface BackupRetention {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

/** The operator's settings of scheduled backups. */
export interface BackupSchedule {
  /** Cron, in UTC. */
  readonly cronExpression: string;
  readonly keep: BackupRetention;
}

export interface GoodBackup {
  /** Its path, or its address in S3. */
  readonly file: string;
  readonly at: Instant;
  readonly bytes: number;
}

/** The scheduled backups of a database, which its services share. */
export interface ScheduledBackups {
  /** The schedule of `dueAt`. */
  readonly cronExpression: string;
  readonly since: Instant;
  /** The earliest tick after the last good one. */
  readonly dueAt: Instant;
  /** Not before, after a failure. */
  readonly retryAt: Instant | null;
  /** When a person asked for one, whatever is due. */
  readonly requestedAt?: Instant | null;
  /** The service that takes one; it may have died since. */
  readonly claimedBy: ServiceId | null;
  /** Since the last good one, or in it: a backup may lack files that the store has lost. */
  readonly failure: { readonly at: Instant; readonly error: string } | null;
  /** Good ones that are not deleted yet, the newest first. */
  readonly kept: readonly GoodBackup[];
}

const retrySec = 600;
/** How long after its tick a backup counts as overdue, whether it has not begun or has not finished. */
const lateSec = { waiting: 3_600, taking: 24 * 3_600 };

/** Starts a schedule, or applies a changed one. `next`: the first tick after an instant. */
export const following = (
  state: ScheduledBackups | null,
  cronExpression: string,
  at: Instant,
  next: (after: Instant) => Instant | null,
): ScheduledBackups => {
  if (state?.cronExpression === cronExpression) return state;
  const dueAt = next(at) ?? at;
  return state === null
    ? { cronExpression, since: at, dueAt, retryAt: null, claimedBy: null, failure: null, kept: [] }
    : { ...state, cronExpression, dueAt, retryAt: null };
};

/** Whether a service makes a backup now; `isClaimed`: another live service is making it. */
export const isDue = (
  { dueAt, retryAt, requestedAt = null }: ScheduledBackups,
  isClaimed: boolean,
  at: Instant,
): boolean => !isClaimed && (requestedAt !== null || (dueAt <= at && (retryAt === null || retryAt <= at)));

/** The schedule after a person has asked for a backup now. */
export const requested = (state: ScheduledBackups, at: Instant): ScheduledBackups => ({
  ...state,
  requestedAt: state.requestedAt ?? at,
});

/** The schedule after a successful backup; `missing`: how many files of the database it lacks. */
export const afterBackup = (
  state: ScheduledBackups,
  backup: GoodBackup,
  missing: number,
  nextAt: Instant,
): ScheduledBackups => ({
  ...state,
  dueAt: nextAt,
  retryAt: null,
  // One that was asked for since it began is still to be taken.
  requestedAt: (state.requestedAt ?? "") > backup.at ? (state.requestedAt ?? null) : null,
  claimedBy: null,
  failure:
    missing === 0
      ? null
      : { at: backup.at, error: `It's missing ${missing} files that were lost from the store` },
  kept: [backup, ...state.kept],
});

const later = (one: Instant, other: Instant): Instant => (one < other ? other : one);

export const failed = (state: ScheduledBackups, error: string, at: Instant): ScheduledBackups => ({
  ...state,
  retryAt: later(addSeconds(at, retrySec), state.dueAt),
  requestedAt: null,
  claimedBy: null,
  failure: { at, error },
});

/** The sentence for operators if a scheduled backup failed or is overdue; otherwise null. */
export const backupTrouble = (
  { failure, dueAt: scheduledAt, retryAt, requestedAt, claimedBy }: ScheduledBackups,
  at: Instant,
): string | null => {
  const dueAt = requestedAt != null && requestedAt < scheduledAt ? requestedAt : scheduledAt;
  if (failure !== null)
    return `${failure.error.replace(/[.!]$/, "")} (backup of ${failure.at}).${retryAt === null ? "" : ` Next attempt at ${retryAt}.`}`;
  return addSeconds(dueAt, claimedBy === null ? lateSec.waiting : lateSec.taking) < at
    ? `The backup due at ${dueAt} hasn't finished. Backups run while a service that runs agents is up.`
    : null;
};

const mondayOf = (day: string): string => {
  const at = new Date(`${day}T00:00:00.000Z`);
  return addSeconds(at.toISOString(), -((at.getUTCDay() + 6) % 7) * 86_400).slice(0, 10);
};

/** Returns the backups to delete; never the newest. */
export const outdatedBackups = (
  kept: readonly GoodBackup[],
  { daily, weekly, monthly }: BackupRetention,
): readonly GoodBackup[] => {
  const newestFirst = [...kept].sort((one, other) => (one.at < other.at ? 1 : -1));
  const stays = new Set(newestFirst.slice(0, 1));
  const lastOfEach = (periodOf: (day: string) => string, count: number) => {
    const periods = new Set<string>();
    for (const backup of newestFirst) {
      const period = periodOf(backup.at.slice(0, 10));
      if (periods.has(period) || periods.size >= count) continue;
      periods.add(period);
      stays.add(backup);
    }
  };
  lastOfEach((day) => day, daily);
  lastOfEach(mondayOf, weekly);
  lastOfEach((day) => day.slice(0, 7), monthly);
  return kept.filter((backup) => !stays.has(backup));
};
