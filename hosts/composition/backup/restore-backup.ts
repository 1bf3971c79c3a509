import { randomUUID } from "node:crypto";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { workspaceFolders } from "../../../adapters-infra/backup/agent-files.ts";
import { BackupFailed } from "../../../adapters-infra/backup/backup-failures.ts";
import { type BackupContents, contentsOf, type Manifest } from "../../../adapters-infra/backup/manifest.ts";
import { type BackupFile, checkBackup, openBackup } from "../../../adapters-infra/backup/read-backup.ts";
import {
  restoreMarker,
  unfinishedRestore,
  writtenByRestore,
} from "../../../adapters-infra/backup/restore-marker.ts";
import { operatorFolders, withoutLinks } from "../../../adapters-infra/backup/sections.ts";
import { writeAgentTree } from "../../../adapters-infra/backup/write-agent-tree.ts";
import { syncFolder } from "../../../adapters-infra/backup/write-whole-file.ts";
import { createFileOnce } from "../../../adapters-infra/local/create-file-once.ts";
import { claimDataDirectory } from "../../../adapters-infra/local/data-directory.ts";
import {
  isRestoredBy,
  requireEmpty,
  requireKnownSchema,
  restoreTables,
} from "../../../adapters-infra/postgres/backup/restore-tables.ts";
import { embeddedServer } from "../../../adapters-infra/postgres/embedded-server.ts";
import type { Config } from "../config.ts";
import { databaseFailure } from "../database-setting.ts";
import { openScope } from "../open-scope.ts";
import { openBlobs } from "../wiring/open-blobs.ts";
import { requireKey } from "./backup-key.ts";
import { blobBytes } from "./blob-bytes.ts";

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
 * Restores a backup into the empty data directory, and the embedded or the empty database, of the settings. The file is
 * checked before anything is written. The database becomes visible last, in one transaction; until then a marker keeps a
 * service from the data directory, and a repeated restore begins anew.
 */
export const restoreBackup = async (config: Config, command: RestoreBackup): Promise<RestoreReport> => {
  const { onProgress = () => {} } = command;
  const { dataDir, databaseUrl } = config;
  onProgress({ stage: "checking", blobs: 0 });
  const checked = await checkBackup(command);
  const { manifest } = checked;
  await requireKnownSchema(manifest.migrations);
  const key = await requireKey(config, checked, command.passphrase);
  const unfinished = await unfinishedRestore(dataDir);
  await requireOnly(dataDir, new Set([...harmless, ...(unfinished === null ? [] : writtenByRestore)]));
  const isDone = databaseUrl !== null && unfinished !== null && (await isRestoredBy(databaseUrl, unfinished));
  if (databaseUrl !== null && !isDone) {
    const problem = await databaseFailure(databaseUrl);
    if (problem !== null) throw new BackupFailed(problem);
    await requireEmpty(databaseUrl);
  }
  const wasThere = (await lstat(dataDir).catch(() => null)) !== null;
  const claim = await openScope(claimDataDirectory(dataDir));
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
        await fill(config, command, manifest, id, onProgress);
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
  config: Config,
  file: BackupFile,
  manifest: Manifest,
  id: string,
  onProgress: (progress: RestoreProgress) => void,
): Promise<void> => {
  const { dataDir, databaseUrl, durable } = config;
  const server =
    databaseUrl === null
      ? await openScope(embeddedServer({ directory: join(dataDir, "database"), durable, log: () => {} }))
      : null;
  const contents = openBackup(file);
  try {
    await restoreTables({
      url: server?.value.url ?? databaseUrl!,
      from: manifest,
      id,
      parts: contents.tables((table) => onProgress({ stage: "tables", table, blobs: 0 })),
      beforeCommit: async () => {
        onProgress({ stage: "files", blobs: 0 });
        await writeAgentTree(dataDir, operatorFolders, withoutLinks(contents.section("files")));
        const blobs = blobBytes(openBlobs(config));
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
