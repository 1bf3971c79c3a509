/**
 * By the cause of a backup: the middle of its file name, and how many times as long as it has worked it rests next to a
 * service, so that callers keep their rate (the rows mixed-backup and mixed-scheduled of the bench). A command works at the
 * lowest priority, a scheduled backup in the process of the service.
 */
const backupKinds = {
  manual: { name: "", restPerWork: 4 },
  scheduled: { name: "scheduled-", restPerWork: 9 },
  before_migration: { name: "before-migration-", restPerWork: 0 },
} as const;
export type BackupKind = keyof typeof backupKinds;

/** Names of the backups of upgrades, in the order of their time. */
export const beforeMigration = /^boardroom-before-migration-.*\.tar\.gz$/;

/**
 * Sorts by time. `suffix` keeps two backups that begin in the same millisecond from overwriting each other.
 */
export const backupFileName = (
  { kind, encrypt }: { readonly kind: BackupKind; readonly encrypt: boolean },
  at: string,
  suffix: string,
): string =>
  `boardroom-${backupKinds[kind].name}${at.replace(/[-:]/g, "")}-${suffix}.tar.gz${encrypt ? ".age" : ""}`;

/** Less work than that is not worth a timer. */
const leastWorkMs = 50;

/** Says after each piece of work how long to rest now, in milliseconds: not at all where no service is on the database. */
export const pace = (kind: BackupKind, hasLiveService: boolean): ((workedMs: number) => number) => {
  let worked = 0;
  return (workedMs) => {
    worked += workedMs;
    if (!hasLiveService || worked < leastWorkMs) return 0;
    const restMs = worked * backupKinds[kind].restPerWork;
    worked = 0;
    return restMs;
  };
};
