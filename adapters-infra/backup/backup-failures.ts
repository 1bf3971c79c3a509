/** A backup cannot be used. The message is one sentence for the person who gave the file. */
export class BackupUnusable extends Error {}

/** A backup or restore cannot be done. The message is one sentence for the operator. */
export class BackupFailed extends Error {}

/** The master key is missing, or is not the one of the database. The message is one sentence for the operator. */
export class MasterKeyUnusable extends Error {}

export const changed = () =>
  new BackupUnusable("The backup was changed after it was written, or is truncated.");
