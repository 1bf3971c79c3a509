import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeMigration } from "../../core/model/backups/backup-kind.ts";
import type { Installation } from "./installation.ts";
import { makeBackup } from "./make-backup.ts";

/** The number of files that stay: each is as large as the installation. */
const retained = 2;

/** Backs up the embedded database, which is about to be migrated; returns the file. Removes the oldest of such files. */
export const backUpBeforeMigration = async (installation: Installation): Promise<string> => {
  const folder = join(installation.dataDir, "backups");
  const { file } = await makeBackup(installation, {
    kind: "before_migration",
    to: folder,
    passphrase: null,
    withKey: false,
    encrypt: false,
  });
  const names = (await readdir(folder)).filter((name) => beforeMigration.test(name)).sort();
  for (const name of names.slice(0, -retained)) await rm(join(folder, name), { force: true });
  return file;
};
