import { randomUUID } from "node:crypto";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createFileOnce } from "../local/create-file-once.ts";
import {
  isRestoredBy,
  requireEmpty,
  requireKnownSchema,
  restoreTables,
} from "../postgres/backup/restore-tables.ts";
import { workspaceFolders } from "./agent-files.ts";
import { BackupFailed } from "./backup-failures.ts";
import { requireKey } from "./backup-key.ts";
import { blobBytes } from "./blob-bytes.ts";
import type { Installation } from "./installation.ts";
import { type BackupContents, contentsOf, type Manifest } from "./manifest.ts";
import { type BackupFile, checkBackup, openBackup } from "./read-backup.ts";
import { restoreMarker, unfinishedRestore, writtenByRestore } from "./restore-marker.ts";
import { operatorFolders, withoutLinks } from "./sections.ts";
import { writeAgentTree } from "./write-agent-tree.ts";
import { syncFolder } from "./write-whole-file.ts";

export const restoreStages = [
  "checking",
  "tables",
  "files",
  "blobs",
  "workspaces",
  "database",
  /** The database is restored, and its service does not start yet. */
  "ending",
  "restored",
] as const;
export type RestoreStage = (typeof restoreStages)[number];

export interface RestoreProgress {
  readonly stage: RestoreStage;
  readonly table?: string;
  readonly blobs: number;
}

export interface RestoreReport extends BackupContents {
  readonly dataDir: string;
  /** The master key was in the backup. */
  readonly withKey: boolean;
}

export interface RestoreBackup extends BackupFile {
  readonly onProgress?: (progress: RestoreProgress) => void;
}

const keyName = "master.key";
/** May be there before. */
const harmless = new Set(["lock", keyName, restoreMarker]);

/**
 * Restores a backup into the empty data directory, and the embedded or the empty database, of an installation. The file is
 * checked before anything is written. The database becomes visible last, in one transaction; until then a marker keeps a
 * service from the data directory, and a repeated restore begins anew.
 */
export const restoreBackup = async (
  installation: Installation,
  command: RestoreBackup,
): Promise<RestoreReport> => {
  const { onProgress = () => {} } = command;
  const { dataDir, databaseUrl } = installation;
  onProgress({ stage: "checking", blobs: 0 });
  const checked = await checkBackup(command);
  const { manifest } = checked;
  await requireKnownSchema(manifest.migrations);
  const key = await requireKey(installation, checked, command.passphrase);
  const unfinished = await unfinishedRestore(dataDir);
  await requireOnly(dataDir, new Set([...harmless, ...(unfinished === null ? [] : writtenByRestore)]));
  const isDone = databaseUrl !== null && unfinished !== null && (await isRestoredBy(databaseUrl, unfinished));
  if (databaseUrl !== null && !isDone) {
    const problem = await installation.databaseFailure(databaseUrl);
    if (problem !== null) throw new BackupFailed(problem);
    await requireEmpty(databaseUrl);
  }
  const wasThere = (await lstat(dataDir).catch(() => null)) !== null;
  const claim = await installation.claim(dataDir);
  try {
    if (!isDone) {
      const hadKey = (await lstat(join(dataDir, keyName)).catch(() => null)) !== null;
      const id = randomUUID();
      try {
        await removeWritten(dataDir);
        await rm(join(dataDir, restoreMarker), { force: true });
        await createFileOnce(join(dataDir, restoreMarker), `${id}\n`);
        if (key?.fromBackup) await createFileOnce(join(dataDir, keyName), `${key.fromBackup}\n`);
        await syncFolder(dataDir);
        await fill(installation, command, manifest, id, onProgress);
        await syncFolder(dataDir);
      } catch (error) {
        // Where the answer to the commit was lost, the database may refer to the files: a repeated restore decides.
        if (databaseUrl !== null && (await isRestoredBy(databaseUrl, id).catch(() => true))) throw error;
        await removeWritten(dataDir);
        if (!hadKey) await rm(join(dataDir, keyName), { force: true });
        await rm(join(dataDir, restoreMarker), { force: true });
        if (!wasThere) await rm(dataDir, { recursive: true, force: true });
        throw error;
      }
    }
    onProgress({ stage: "ending", blobs: manifest.blobs.count });
    await rm(join(dataDir, restoreMarker), { force: true });
    await syncFolder(dataDir);
  } finally {
    await claim.close();
  }
  onProgress({ stage: "restored", blobs: manifest.blobs.count });
  return { dataDir, ...contentsOf(manifest), withKey: key?.fromBackup != null };
};

const requireOnly = async (dataDir: string, allowed: ReadonlySet<string>): Promise<void> => {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new BackupFailed(`${dataDir} cannot be read (${error.code}).`);
  });
  if (names.some((name) => !allowed.has(name)))
    throw new BackupFailed(
      `The data directory ${dataDir} is not empty. Restore into an empty one (SERVICE_DATA_DIR); only master.key may be there.`,
    );
};

const removeWritten = async (dataDir: string): Promise<void> => {
  for (const name of writtenByRestore) await rm(join(dataDir, name), { recursive: true, force: true });
};

const fill = async (
  installation: Installation,
  file: BackupFile,
  manifest: Manifest,
  id: string,
  onProgress: (progress: RestoreProgress) => void,
): Promise<void> => {
  const { dataDir, databaseUrl } = installation;
  const server = databaseUrl === null ? await installation.startDatabase(join(dataDir, "database")) : null;
  const contents = openBackup(file);
  try {
    await restoreTables({
      url: server?.url ?? databaseUrl!,
      from: manifest,
      id,
      parts: contents.tables((table) => onProgress({ stage: "tables", table, blobs: 0 })),
      beforeCommit: async () => {
        onProgress({ stage: "files", blobs: 0 });
        await writeAgentTree(dataDir, operatorFolders, withoutLinks(contents.section("files")));
        const blobs = blobBytes(installation.blobsOf(dataDir));
        let count = 0;
        for await (const { name, data } of contents.section("blobs")) {
          onProgress({ stage: "blobs", blobs: count });
          await blobs.write(name, data());
          count += 1;
        }
        onProgress({ stage: "workspaces", blobs: count });
        await writeAgentTree(dataDir, workspaceFolders, contents.section("agents"));
        onProgress({ stage: "database", blobs: count });
      },
    });
  } finally {
    await contents.close();
    await server?.close();
  }
};
