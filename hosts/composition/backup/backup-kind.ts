/**
 * By the cause of a backup: the middle of its file name, and how many times as long as it has worked it rests next to a
 * service, so that callers keep their rate (the rows mixed-backup and mixed-scheduled of the bench). A command works at the
 * lowest priority, a scheduled backup in the process of the service.
 */
export const backupKinds = {
  manual: { name: "", restPerWork: 4 },
  scheduled: { name: "scheduled-", restPerWork: 9 },
  before_migration: { name: "before-migration-", restPerWork: 0 },
} as const;
export type BackupKind = keyof typeof backupKinds;
