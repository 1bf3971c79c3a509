import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type BackupKind, backupFileName, pace } from "../../core/model/backups/backup-kind.ts";
import { readMasterKey } from "../local/master-key.ts";
import { readSnapshot, type Snapshot } from "../postgres/backup/read-snapshot.ts";
import { recordBackup } from "../postgres/backup/record-backup.ts";
import { encrypt } from "./age.ts";
import type { LeftOutFiles } from "./agent-files.ts";
import { type ArchiveWriter, wholeOf, writeArchive } from "./archive-writer.ts";
import { BackupFailed } from "./backup-failures.ts";
import { blobBytes } from "./blob-bytes.ts";
import type { Installation } from "./installation.ts";
import { formatVersion, type Manifest, manifestNames, masterKeyName } from "./manifest.ts";
import { addBlobs, addFiles, addTable, addWorkspaces } from "./sections.ts";

export const backupStages = ["tables", "files", "blobs", "workspaces", "manifest", "stored"] as const;
export type BackupStage = (typeof backupStages)[number];

export interface BackupProgress {
  readonly stage: BackupStage;
  /** The table that is read. */
  readonly table?: string;
  readonly rows: number;
  readonly blobs: number;
  /** Before compression. */
  readonly bytes: number;
}

export interface MakeBackup {
  readonly kind: BackupKind;
  /** A folder, or `s3://bucket/prefix`. */
  readonly to: string;
  readonly passphrase: string | null;
  /** Adds the master key, encrypted by the passphrase. */
  readonly withKey: boolean;
  /** Encrypts the whole file by the passphrase. */
  readonly encrypt: boolean;
  /** Adds workspaces and homes of agents. */
  readonly withWorkspaces?: boolean;
  readonly onProgress?: (progress: BackupProgress) => void;
}

export interface BackupReport {
  /** The path of the file, or its address in S3. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly createdAt: string;
  readonly schemaVersion: number;
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
  readonly blobs: number;
  readonly blobBytes: number;
  /** Keys of blobs that the database names and the store does not have. */
  readonly missingBlobs: readonly string[];
  /** Workspaces and homes of agents; null: without them. */
  readonly workspaces: {
    readonly files: number;
    readonly bytes: number;
    readonly leftOut: LeftOutFiles;
  } | null;
  readonly withKey: boolean;
  readonly encrypted: boolean;
}

/** Backs up the database, the blobs and the operator's files of an installation, while a service works on them or not. */
export const makeBackup = (installation: Installation, command: MakeBackup): Promise<BackupReport> => {
  const { passphrase, withKey, encrypt: encrypted } = command;
  if (passphrase === null && (withKey || encrypted))
    throw new BackupFailed("A key or an encrypted file needs a passphrase (--passphrase-file).");
  const target = installation.target(command.to);
  return installation.withDatabase(async (url) => {
    const at = new Date();
    const name = backupFileName(command, at.toISOString(), randomBytes(4).toString("hex"));
    const progress = progressOf(command);
    const { manifest, written } = await writeArchive(
      target,
      name,
      { passphrase: encrypted ? passphrase : null, at, afterPiece: progress.afterPiece },
      (archive) => fill(archive, { url, installation, at }, command, progress),
    );
    const file = target.locationOf(name);
    if (command.kind === "manual" && manifest.blobs.missing.length === 0)
      await recordBackup(url, { file, at: at.toISOString(), bytes: written.bytes });
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    command.onProgress?.({ stage: "stored", rows, blobs: manifest.blobs.count, bytes: written.bytes });
    return {
      file,
      ...written,
      createdAt: manifest.createdAt,
      schemaVersion: manifest.schemaVersion,
      tables: manifest.tables.length,
      rows,
      files: manifest.files.count,
      blobs: manifest.blobs.count,
      blobBytes: manifest.blobs.bytes,
      missingBlobs: manifest.blobs.missing,
      workspaces: reported(manifest.workspaces),
      withKey,
      encrypted,
    };
  });
};

/** The text of the key that the database uses. It may be the next one, or of a service that changes it now. */
const masterKeyText = async (
  { masterKey, nextMasterKey, dataDir }: Installation,
  fingerprint: string | null,
): Promise<string> => {
  const path = join(dataDir, "master.key");
  const texts =
    masterKey === null ? [await readFile(path, "utf8").catch(() => null)] : [masterKey, nextMasterKey];
  const known = texts.filter((text) => text !== null).map((text) => text.trim());
  const text =
    fingerprint === null ? known[0] : known.find((each) => readMasterKey(each)?.fingerprint === fingerprint);
  if (text !== undefined) return text;
  throw new BackupFailed(
    known.length === 0
      ? `There is no master key at ${path}, and SERVICE_SECRETS_MASTER_KEY is not set.`
      : `The master key ${masterKey === null ? `at ${path}` : "in SERVICE_SECRETS_MASTER_KEY"} is not the one of the database, which has the fingerprint ${fingerprint}.`,
  );
};

/** Counts what is written, reports it, and rests between its pieces. */
const progressOf = ({ kind, onProgress = () => {} }: MakeBackup) => {
  const state = { rows: 0, blobs: 0, bytes: 0 };
  let restAfter = pace(kind, false);
  let since = performance.now();
  return {
    state,
    report: (stage: BackupStage, table?: string) =>
      onProgress({ ...state, stage, ...(table === undefined ? {} : { table }) }),
    beginAt: (hasLiveService: boolean) => {
      restAfter = pace(kind, hasLiveService);
    },
    /** The time until the next piece counts as work. */
    afterPiece: async (bytes: number) => {
      state.bytes += bytes;
      const restMs = restAfter(performance.now() - since);
      if (restMs > 0) await setTimeout(restMs);
      since = performance.now();
    },
  };
};

/** The origin of a file, and when it is made. */
export interface Source {
  readonly url: string;
  readonly installation: Installation;
  readonly at: Date;
}

/** Writes all members; the manifest is the last. */
const fill = async (
  archive: ArchiveWriter,
  { url, installation, at }: Source,
  { passphrase, withKey, withWorkspaces = false }: MakeBackup,
  { state, report, beginAt }: ReturnType<typeof progressOf>,
): Promise<Manifest> => {
  const { dataDir } = installation;
  let database: Awaited<ReturnType<typeof tablesOf>> | null = null;
  let files: Manifest["files"] | null = null;
  let blobs: Manifest["blobs"] | null = null;
  await readSnapshot(
    url,
    async (snapshot) => {
      beginAt(snapshot.hasLiveService);
      database = await tablesOf(archive, snapshot, (table, rows) => {
        state.rows += rows;
        report("tables", table);
      });
    },
    async (referred) => {
      report("files");
      files = await addFiles(archive, dataDir);
      report("blobs");
      blobs = await addBlobs(archive, at, referred, blobBytes(installation.blobsOf(dataDir)).read, () => {
        state.blobs += 1;
        report("blobs");
      });
    },
  );
  if (withWorkspaces) report("workspaces");
  // After the lock of backups is free: agents may have much.
  const workspaces = withWorkspaces
    ? await addWorkspaces(archive, dataDir, () => report("workspaces"))
    : null;
  report("manifest");
  const { masterKeyFingerprint, canary, ...rest } = database!;
  if (withKey) {
    const text = `${await masterKeyText(installation, masterKeyFingerprint)}\n`;
    await archive.addText(masterKeyName, await wholeOf(encrypt([Buffer.from(text)], passphrase!)));
  }
  const manifest: Manifest = {
    format: formatVersion,
    serviceVersion: installation.version,
    createdAt: at.toISOString(),
    masterKey: { fingerprint: masterKeyFingerprint, canary },
    settings: installation.publicSettings,
    ...rest,
    files: files!,
    blobs: blobs!,
    workspaces,
    company: null,
  };
  await archive.addText(manifestNames.installation, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
  await archive.end();
  return manifest;
};

const tablesOf = async (
  archive: ArchiveWriter,
  snapshot: Snapshot,
  onRows: (table: string, rows: number) => void,
) => {
  const tables: Manifest["tables"] = [];
  for (const table of snapshot.tables)
    tables.push(await addTable(archive, table, snapshot.rowsOf(table), (rows) => onRows(table.name, rows)));
  return {
    schemaVersion: snapshot.migrations.at(-1)?.version ?? 0,
    migrations: snapshot.migrations.map(({ version: number, checksum }) => ({ version: number, checksum })),
    masterKeyFingerprint: snapshot.masterKeyFingerprint,
    canary: snapshot.dataKey === null ? null : { ...snapshot.dataKey },
    tables,
    sequences: snapshot.sequences.map(({ name, lastValue }) => ({ name, lastValue })),
  };
};

const reported = (workspaces: Manifest["workspaces"]): BackupReport["workspaces"] =>
  workspaces === null
    ? null
    : { files: workspaces.count, bytes: workspaces.bytes, leftOut: workspaces.leftOut };
