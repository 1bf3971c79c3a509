import type { CommonOptions } from "../connection/session.ts";

export const passphraseFlag = [
  "--passphrase-file <path>",
  "file whose first line is the passphrase",
] as const;

/** Options of a command on the file of a backup. */
export interface FileOptions extends CommonOptions {
  readonly passphraseFile?: string;
}

export interface BackupOptions extends FileOptions {
  readonly to?: string;
  readonly withKey?: true;
  readonly encrypt?: true;
  readonly withWorkspaces?: true;
}
