import { measureWorkspaces } from "../../../adapters-infra/backup/agent-files.ts";
import { readPassphrase } from "../../../adapters-infra/backup/read-passphrase.ts";
import { takeLowestPriority } from "../../../adapters-infra/local/lowest-priority.ts";
import { makeBackup } from "./make-backup.ts";
import { restoreBackup } from "./restore-backup.ts";
import { rollBack } from "./roll-back.ts";
import { sentenceOf } from "./sentence-of.ts";
import { verifyBackup } from "./verify-backup.ts";

/** Backups of an installation, for hosts. */
export const backups = {
  make: makeBackup,
  measureWorkspaces,
  yieldProcessor: takeLowestPriority,
  restore: restoreBackup,
  rollBack,
  verify: verifyBackup,
  readPassphrase,
  sentenceOf,
};
