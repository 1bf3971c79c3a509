import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { opensServiceKey } from "../local/aes-cipher.ts";
import { type MasterKey, readMasterKey } from "../local/master-key.ts";
import { decrypt } from "./age.ts";
import { wholeOf } from "./archive-writer.ts";
import { BackupUnusable } from "./backup-failures.ts";
import type { Installation } from "./installation.ts";
import type { Manifest } from "./manifest.ts";
import type { CheckedBackup } from "./read-backup.ts";

/** A master key with its origin. */
export interface FoundKey {
  readonly key: MasterKey;
  /** Its text, where it is in the backup only. */
  readonly fromBackup: string | null;
}

/** Finds the master key in the settings, in the data directory, or in the backup; null where it is in none of them. */
export const findKey = async (
  installation: Pick<Installation, "masterKey" | "dataDir">,
  encryptedKey: Buffer | null,
  passphrase: string | null,
): Promise<FoundKey | null> => {
  const path = join(installation.dataDir, "master.key");
  const here = installation.masterKey ?? (await readFile(path, "utf8").catch(() => null));
  const where = installation.masterKey === null ? path : "SERVICE_SECRETS_MASTER_KEY";
  if (here !== null) {
    const key = readMasterKey(here);
    if (key === null) throw new BackupUnusable(`The master key in ${where} is not 32 bytes.`);
    return { key, fromBackup: null };
  }
  if (encryptedKey === null || passphrase === null) return null;
  const text = (await wholeOf(decrypt([encryptedKey], passphrase))).toString("utf8").trim();
  const key = readMasterKey(text);
  if (key === null) throw new BackupUnusable("The master key in the backup is not 32 bytes.");
  return { key, fromBackup: text };
};

/** Whether the key opens the secrets of the backup; null where it has none. */
export const opensCanary = ({ key }: FoundKey, { masterKey: { canary } }: Manifest): boolean | null =>
  canary === null
    ? null
    : opensServiceKey(key, { wrapped: Buffer.from(canary.wrapped, "base64"), wrappedBy: canary.wrappedBy });

/** Refuses where the secrets of the backup could not be opened after a restore. */
export const requireKey = async (
  installation: Pick<Installation, "masterKey" | "dataDir">,
  { manifest, encryptedKey }: CheckedBackup,
  passphrase: string | null,
): Promise<FoundKey | null> => {
  const { fingerprint } = manifest.masterKey;
  const found = await findKey(installation, encryptedKey, passphrase);
  if (fingerprint === null) return found;
  if (found === null)
    throw new BackupUnusable(
      encryptedKey === null
        ? `The secrets of the backup need the master key with fingerprint ${fingerprint}: put it at ${join(installation.dataDir, "master.key")}, or set SERVICE_SECRETS_MASTER_KEY.`
        : "The master key in the backup is encrypted: give the file with its passphrase (--passphrase-file).",
    );
  if (found.key.fingerprint !== fingerprint || opensCanary(found, manifest) === false)
    throw new BackupUnusable(
      `The master key has the fingerprint ${found.key.fingerprint}, and the secrets of the backup need the one with fingerprint ${fingerprint}.`,
    );
  return found;
};
