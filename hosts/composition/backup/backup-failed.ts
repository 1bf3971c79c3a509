/** A backup or restore cannot be done. The message is one sentence for the operator. */
export class BackupFailed extends Error {}
