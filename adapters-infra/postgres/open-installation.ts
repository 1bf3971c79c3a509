import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { InstallationId } from "../../core/model/shared/ids.ts";
import { installationOf, renewInstallation } from "./installation.ts";

/** In a data directory with an embedded database: the installation, and the directory's own path. */
const recordFile = "installation";

interface InstallationRecord {
  readonly id: string;
  readonly dataDir: string;
}

/**
 * Returns the id that marks everything which this service starts. A data directory with its database that was copied, while
 * the original is still where it was, becomes another installation; one that was moved stays the same. A database on a
 * server is not looked at: all its services share the installation.
 */
export const openInstallation = async (
  { dataDir, databaseUrl }: { readonly dataDir: string; readonly databaseUrl: string | null },
  sql: Parameters<typeof installationOf>[0],
  warn: (sentence: string) => void,
): Promise<InstallationId> => {
  const id = await installationOf(sql);
  if (databaseUrl !== null) return id;
  const record = await readRecord(dataDir);
  if (record?.id === id && record.dataDir === dataDir) return id;
  const isCopy = record?.id === id && (await isOriginal(record, dataDir));
  if (isCopy) {
    warn(`This data directory is a copy of ${record.dataDir}. From now on it's a separate installation.`);
  }
  const own: InstallationRecord = { id: isCopy ? await renewInstallation(sql) : id, dataDir };
  await writeFile(join(dataDir, recordFile), `${JSON.stringify(own)}\n`, { mode: 0o600 });
  return own.id as InstallationId;
};

const readRecord = (dataDir: string): Promise<InstallationRecord | null> =>
  readFile(join(dataDir, recordFile), "utf8").then(
    (text) => JSON.parse(text) as InstallationRecord,
    () => null,
  );

/** Whether the directory that the record names is still there, and is not this one by another path. */
const isOriginal = async (record: InstallationRecord, dataDir: string): Promise<boolean> => {
  const there = await readRecord(record.dataDir);
  if (there?.id !== record.id || there.dataDir !== record.dataDir) return false;
  const [one, other] = await Promise.all([stat(record.dataDir), stat(dataDir)]);
  return one.dev !== other.dev || one.ino !== other.ino;
};
