import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ArchiveWriter, archiveWriter } from "../../../adapters-infra/backup/archive-writer.ts";
import { writeFramed } from "../../../adapters-infra/backup/framed-files.ts";
import { partWriter } from "../../../adapters-infra/backup/part-writer.ts";
import { wrap } from "../../../adapters-infra/backup/sealing.ts";
import { readMasterKey } from "../../../adapters-infra/local/master-key.ts";
import {
  type ReferredBlobs,
  readSnapshot,
  type Snapshot,
} from "../../../adapters-infra/postgres/backup/read-snapshot.ts";
import type { Config } from "../config.ts";
import { version } from "../version.ts";
import { openBlobs } from "../wiring/open-blobs.ts";
import { BackupFailed } from "./backup-failed.ts";
import { type BackupKind, backupKinds } from "./backup-kind.ts";
import { blobBytes } from "./blob-bytes.ts";
import { dataFiles } from "./data-files.ts";
import { formatVersion, type Manifest, manifestNames } from "./manifest.ts";
import { type BackupTarget, openTarget } from "./open-target.ts";
import { pace, restingWriter } from "./resting-writer.ts";
import { withDatabase } from "./with-database.ts";
import { type LeftOutFiles, storedName, workspaceEntries } from "./workspaces.ts";

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

/** How many missing blobs are named. */
const namedMissing = 1_000;

/** Backs up the database, the blobs and the operator's files of the settings, while a service works on them or not. */
export const makeBackup = (config: Config, command: MakeBackup): Promise<BackupReport> => {
  const { passphrase, withKey, encrypt } = command;
  if (passphrase === null && (withKey || encrypt))
    throw new BackupFailed("A key or an encrypted file needs a passphrase (--passphrase-file).");
  const target = openTarget(command.to, config);
  return withDatabase(config, async (url) => {
    const at = new Date();
    const name = fileName(command, at);
    const { manifest, written } = await writeArchive(
      target,
      name,
      encrypt ? passphrase : null,
      at,
      (archive) => fill(archive, url, config, command, at),
    );
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    command.onProgress?.({ stage: "stored", rows, blobs: manifest.blobs.count, bytes: written.bytes });
    return {
      file: target.locationOf(name),
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
      encrypted: encrypt,
    };
  });
};

/** Sorts by time. Two backups that begin in one millisecond have two names, of which none replaces the other. */
export const fileName = ({ kind, encrypt }: Pick<MakeBackup, "kind" | "encrypt">, at: Date): string => {
  const time = at.toISOString().replace(/[-:]/g, "");
  return `boardroom-${backupKinds[kind].name}${time}-${randomBytes(4).toString("hex")}.tar.gz${encrypt ? ".sealed" : ""}`;
};

/** Writes a file of all that `fill` adds; a partial one never has the name. */
export const writeArchive = async (
  target: Pick<BackupTarget, "write">,
  name: string,
  passphrase: string | null,
  at: Date,
  fill: (archive: ArchiveWriter) => Promise<Manifest>,
) => {
  const archive = archiveWriter(passphrase, at);
  let first: { readonly error: unknown } | null = null;
  const note = (error: unknown) => {
    first ??= { error };
    archive.fail(error instanceof Error ? error : new Error(String(error)));
    return null;
  };
  const writing = target.write(name, archive.output).catch(note);
  const manifest = await fill(archive).catch(note);
  const written = await writing;
  if (first !== null) throw (first as { readonly error: unknown }).error;
  return { manifest: manifest!, written: written! };
};

/** The text of the key that the database uses. It may be the next one, or of a service that changes it now. */
const masterKeyText = async (
  { masterKey, nextMasterKey, dataDir }: Config,
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

/** Writes all entries; the manifest is the last. */
const fill = async (
  archive: ArchiveWriter,
  url: string,
  config: Config,
  { kind, passphrase, withKey, withWorkspaces = false, onProgress = () => {} }: MakeBackup,
  at: Date,
): Promise<Manifest> => {
  let database: Awaited<ReturnType<typeof addTables>> | null = null;
  let files: Manifest["files"] | null = null;
  let blobs: Manifest["blobs"] | null = null;
  const state = { rows: 0, blobs: 0, bytes: 0 };
  const tell = (stage: BackupStage, table?: string) =>
    onProgress({ ...state, stage, ...(table === undefined ? {} : { table }) });
  let restAfter = pace(kind, false);
  const paced = restingWriter(archive, (workedMs) => restAfter(workedMs));
  const counted: Pick<ArchiveWriter, "add"> = {
    add: (name, data) => {
      state.bytes += data.length;
      return paced.add(name, data);
    },
  };
  await readSnapshot(
    url,
    async (snapshot) => {
      restAfter = pace(kind, snapshot.hasLiveService);
      database = await addTables(counted, snapshot, (table, rows) => {
        state.rows += rows;
        tell("tables", table);
      });
    },
    async (referred) => {
      tell("files");
      files = await addFiles(counted, config.dataDir);
      tell("blobs");
      blobs = await addBlobs(counted, referred, blobBytes(openBlobs(config)).read, () => {
        state.blobs += 1;
        tell("blobs");
      });
    },
  );
  if (withWorkspaces) tell("workspaces");
  // After the lock of backups is free: agents may have much.
  const workspaces = withWorkspaces
    ? await addWorkspaces(counted, config.dataDir, () => tell("workspaces"))
    : null;
  tell("manifest");
  const { masterKeyFingerprint, canary, ...rest } = database!;
  const wrapped = withKey
    ? await wrap(Buffer.from(await masterKeyText(config, masterKeyFingerprint)), passphrase!)
    : null;
  const manifest: Manifest = {
    format: formatVersion,
    serviceVersion: version,
    createdAt: at.toISOString(),
    masterKey: { fingerprint: masterKeyFingerprint, canary, wrapped },
    settings: config.publicSettings,
    ...rest,
    files: files!,
    blobs: blobs!,
    workspaces,
    company: null,
  };
  await archive.add(manifestNames.installation, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
  await archive.end();
  return manifest;
};

type Adding = Pick<ArchiveWriter, "add">;

const addTables = async (
  archive: Adding,
  snapshot: Snapshot,
  onRows: (table: string, rows: number) => void,
) => {
  const tables: Manifest["tables"] = [];
  for (const table of snapshot.tables) {
    const parts = partWriter(archive, `tables/${table.name}`);
    const hash = createHash("sha256");
    let rows = 0;
    for await (const { count, text } of snapshot.rowsOf(table)) {
      hash.update(text);
      await parts.add(text);
      rows += count;
      onRows(table.name, count);
    }
    tables.push({
      name: table.name,
      columns: [...table.columns],
      rows,
      sha256: hash.digest("hex"),
      parts: [...(await parts.end())],
    });
  }
  return {
    schemaVersion: snapshot.migrations.at(-1)?.version ?? 0,
    migrations: snapshot.migrations.map(({ version: number, checksum }) => ({ version: number, checksum })),
    masterKeyFingerprint: snapshot.masterKeyFingerprint,
    canary: snapshot.dataKey === null ? null : { ...snapshot.dataKey },
    tables,
    sequences: snapshot.sequences.map(({ name, lastValue }) => ({ name, lastValue })),
  };
};

const addFiles = async (archive: Adding, dataDir: string): Promise<Manifest["files"]> => {
  const parts = partWriter(archive, "files");
  let count = 0;
  let bytes = 0;
  for await (const { name, mode, data } of dataFiles(dataDir)) {
    bytes += (await writeFramed(parts, name, data, { mode })).bytes;
    count += 1;
  }
  return { count, bytes, parts: [...(await parts.end())] };
};

export const addBlobs = async (
  archive: Adding,
  referred: ReferredBlobs,
  read: (key: string) => Promise<AsyncIterable<Uint8Array> | null>,
  onBlob: () => void,
): Promise<Manifest["blobs"]> => {
  const parts = partWriter(archive, "blobs");
  const missing: string[] = [];
  let count = 0;
  let bytes = 0;
  for (let keys = await referred.next(); keys.length > 0; keys = await referred.next())
    for (const key of keys) {
      const data = await read(key);
      if (data === null) {
        if (missing.length < namedMissing) missing.push(key);
        continue;
      }
      bytes += (await writeFramed(parts, key, data)).bytes;
      count += 1;
      onBlob();
    }
  return { count, bytes, missing, parts: [...(await parts.end())] };
};

const addWorkspaces = async (
  archive: Adding,
  dataDir: string,
  onFile: () => void,
): Promise<NonNullable<Manifest["workspaces"]>> => {
  const parts = partWriter(archive, "workspaces");
  const { entries, leftOut } = workspaceEntries(dataDir);
  let count = 0;
  let bytes = 0;
  for await (const entry of entries) {
    const { mode, uid, gid, modifiedMs } = entry;
    const stored = await writeFramed(parts, storedName(entry), entry.data(), { mode, uid, gid, modifiedMs });
    bytes += stored.bytes;
    count += 1;
    onFile();
  }
  const { count: left, names } = leftOut();
  return { count, bytes, parts: [...(await parts.end())], leftOut: { count: left, names: [...names] } };
};

const reported = (workspaces: Manifest["workspaces"]): BackupReport["workspaces"] =>
  workspaces === null
    ? null
    : { files: workspaces.count, bytes: workspaces.bytes, leftOut: workspaces.leftOut };
