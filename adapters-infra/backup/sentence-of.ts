import { DataDirectoryInUse, DataDirectoryUnusable } from "../local/data-directory.ts";
import { BackupRuns, NothingToBackUp } from "../postgres/backup/read-snapshot.ts";
import { DatabaseNotEmpty, SchemaUnknown } from "../postgres/backup/restore-tables.ts";
import { CompanyRefused } from "../postgres/company-move/company-refused.ts";
import { CompanyNotNamed } from "../postgres/company-move/read-company.ts";
import { EmbeddedServerFailed } from "../postgres/embedded-server.ts";
import { ConnectionLost } from "../postgres/own-connection.ts";
import { BackupFailed, BackupUnusable, MasterKeyUnusable } from "./backup-failures.ts";

/** Codes of the failures that have a sentence for the operator. */
const codes = [
  [BackupUnusable, "backup_unusable"],
  [BackupRuns, "backup_runs"],
  [NothingToBackUp, "nothing_to_back_up"],
  [DatabaseNotEmpty, "database_not_empty"],
  [SchemaUnknown, "schema_unknown"],
  [CompanyNotNamed, "company_not_found"],
  [CompanyRefused, "company_refused"],
  [DataDirectoryInUse, "data_directory_in_use"],
  [DataDirectoryUnusable, "data_directory_unusable"],
  [EmbeddedServerFailed, "database_unavailable"],
  [ConnectionLost, "database_unavailable"],
  [BackupFailed, "backup_failed"],
  [MasterKeyUnusable, "master_key_unusable"],
] as const;

/** The sentence for the operator; null: the error is a defect. */
export const sentenceOf = (error: unknown): { readonly message: string; readonly code: string } | null => {
  if (!(error instanceof Error)) return null;
  const known = codes.find(([kind]) => error instanceof kind);
  if (known !== undefined) return { message: error.message, code: known[1] };
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") return { message: "The disk is full.", code: "storage_full" };
  // Of the file system and of PostgreSQL.
  if (typeof code !== "string") return null;
  return {
    message: `${path === undefined ? "" : `${path}: `}${error.message}`,
    code: path === undefined ? "database_unavailable" : "file_unusable",
  };
};
