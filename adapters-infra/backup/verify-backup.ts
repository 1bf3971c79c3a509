import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireKnownSchema, restoreTables } from "../postgres/backup/restore-tables.ts";
import { BackupFailed, changed } from "./backup-failures.ts";
import { findKey, opensCanary } from "./backup-key.ts";
import type { Installation } from "./installation.ts";
import { type BackupContents, contentsOf, type Manifest } from "./manifest.ts";
import { type BackupFile, type CheckedBackup, checkBackup, openBackup } from "./read-backup.ts";
import type { RestoreProgress } from "./restore-backup.ts";
import { sections } from "./sections.ts";

export interface VerifyReport extends BackupContents {
  /**
   * Whether the master key opens a key of the backup's secrets: `opened`; `no_secrets`: it has none; `no_key`: no key is
   * here; `other_key`: the key here is of another time or installation.
   */
  readonly secrets: "opened" | "no_secrets" | "no_key" | "other_key";
}

/** Restores a backup into a database that is deleted afterwards, and compares all counts and hashes with the manifest. */
export const verifyBackup = async (
  installation: Pick<Installation, "masterKey" | "dataDir" | "startDatabase">,
  file: BackupFile,
  onProgress: (progress: RestoreProgress) => void = () => {},
): Promise<VerifyReport> => {
  onProgress({ stage: "checking", blobs: 0 });
  const checked = await checkBackup(file);
  const { manifest } = checked;
  await requireKnownSchema(manifest.migrations);
  const scratch = await mkdtemp(join(tmpdir(), "boardroom-verify-"));
  try {
    const server = await installation.startDatabase(join(scratch, "database"), { durable: false });
    try {
      await restoreInto(server.url, file, manifest, onProgress);
    } finally {
      await server.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return {
    ...contentsOf(manifest),
    secrets: await secretsOf(installation, checked, file.passphrase),
  };
};

const restoreInto = async (
  url: string,
  file: BackupFile,
  manifest: Manifest,
  onProgress: (progress: RestoreProgress) => void,
): Promise<void> => {
  const contents = openBackup(file);
  try {
    await restoreTables({
      url,
      from: manifest,
      id: randomUUID(),
      parts: contents.tables((table) => onProgress({ stage: "tables", table, blobs: 0 })),
      check: async (rowsOf) => {
        for (const table of manifest.tables) {
          const hash = createHash("sha256");
          let rows = 0;
          for await (const { count, text } of rowsOf(table)) {
            hash.update(text);
            rows += count;
          }
          if (rows !== table.rows || hash.digest("hex") !== table.sha256)
            throw new BackupFailed(
              `The restored table ${table.name} differs from the one that was backed up.`,
            );
        }
      },
    });
    // Reading them compares their checksums.
    const counts = { tables: 0, secrets: 0, files: 0, blobs: 0, agents: 0 };
    for (const section of sections)
      for await (const _ of contents.section(section)) {
        counts[section] += 1;
        if (section === "blobs") onProgress({ stage: "blobs", blobs: counts.blobs });
      }
    const { files, blobs, workspaces } = manifest;
    const isComplete =
      counts.files === files.count &&
      counts.blobs === blobs.count &&
      counts.agents === (workspaces?.count ?? 0);
    if (!isComplete) throw changed();
  } finally {
    await contents.close();
  }
};

const secretsOf = async (
  installation: Pick<Installation, "masterKey" | "dataDir">,
  { manifest, encryptedKey }: CheckedBackup,
  passphrase: string | null,
): Promise<VerifyReport["secrets"]> => {
  if (manifest.masterKey.canary === null) return "no_secrets";
  const found = await findKey(installation, encryptedKey, passphrase);
  if (found === null) return "no_key";
  return opensCanary(found, manifest) === true ? "opened" : "other_key";
};
