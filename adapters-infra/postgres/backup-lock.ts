/**
 * An arbitrary number, unique among the locks of this database. A backup holds the lock exclusively while it reads blobs,
 * on a connection of its own, so that its death frees it; a transaction that discards blobs must have it shared.
 */
export const backupLock = 7_203_461;
