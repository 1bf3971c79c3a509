import { basename, dirname, resolve } from "node:path";
import { type ArchiveWriter, writeArchive } from "../backup/archive-writer.ts";
import { blobBytes } from "../backup/blob-bytes.ts";
import type { Installation } from "../backup/installation.ts";
import type { Source } from "../backup/make-backup.ts";
import { formatVersion, type Manifest, manifestNames } from "../backup/manifest.ts";
import { addBlobs, addTable } from "../backup/sections.ts";
import { writeWholeFile } from "../backup/write-whole-file.ts";
import { type CompanySnapshot, readCompany } from "../postgres/company-move/read-company.ts";
import { rowsWithoutSecrets } from "../postgres/company-move/without-secrets.ts";
import { openValues, valuesName } from "./secret-values.ts";

export const exportStages = ["tables", "files", "blobs", "manifest", "stored"] as const;
export type ExportStage = (typeof exportStages)[number];

export interface ExportProgress {
  readonly stage: ExportStage;
  readonly table?: string;
  readonly rows: number;
  readonly blobs: number;
}

export interface ExportCompany {
  /** Its id, issue prefix or name. */
  readonly company: string;
  readonly to: string;
  /** Encrypts the file, which then has the values of secrets; null: it has none. */
  readonly passphrase: string | null;
  readonly onProgress?: (progress: ExportProgress) => void;
}

export interface ExportReport {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly company: { readonly id: string; readonly name: string; readonly issuePrefix: string };
  readonly schemaVersion: number;
  readonly rows: number;
  readonly blobs: number;
  readonly blobBytes: number;
  /** Keys of blobs that the database names and the store does not have. */
  readonly missingBlobs: readonly string[];
  readonly encrypted: boolean;
  /** Values of versions of secrets. */
  readonly secretValues: number;
  /** Settings of agents that were left out, because they may be secrets in clear. */
  readonly omitted: readonly string[];
}

/** Writes a company with its history into a file, while a service works on it or not. */
export const exportCompany = (installation: Installation, command: ExportCompany): Promise<ExportReport> => {
  const path = resolve(command.to);
  const at = new Date();
  let secretValues = 0;
  return installation.withDatabase(async (url) => {
    const { manifest, written } = await writeArchive(
      { write: (name, source) => writeWholeFile(dirname(path), name, source) },
      basename(path),
      { passphrase: command.passphrase, at },
      (archive) => fill(archive, { url, installation, at }, command, (count) => (secretValues = count)),
    );
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    command.onProgress?.({ stage: "stored", rows, blobs: manifest.blobs.count });
    const { omitted, ...company } = manifest.company!;
    return {
      file: path,
      ...written,
      company,
      schemaVersion: manifest.schemaVersion,
      rows,
      blobs: manifest.blobs.count,
      blobBytes: manifest.blobs.bytes,
      missingBlobs: manifest.blobs.missing,
      encrypted: command.passphrase !== null,
      secretValues,
      omitted,
    };
  });
};

const fill = async (
  archive: ArchiveWriter,
  { url, installation, at }: Source,
  { company: named, passphrase, onProgress = () => {} }: ExportCompany,
  onSecrets: (count: number) => void,
): Promise<Manifest> => {
  const state = { rows: 0, blobs: 0 };
  let database: Awaited<ReturnType<typeof tablesOf>> | null = null;
  let blobs: Manifest["blobs"] | null = null;
  await readCompany(
    url,
    named,
    async (snapshot) => {
      database = await tablesOf(archive, snapshot, passphrase === null, (table, rows) => {
        state.rows += rows;
        onProgress({ ...state, stage: "tables", table });
      });
      onProgress({ ...state, stage: "files" });
      const values =
        passphrase === null
          ? {}
          : await openValues(installation, snapshot.sql, snapshot.company.id, await snapshot.sealedValues());
      onSecrets(Object.keys(values).length);
      if (passphrase !== null) await archive.addText(valuesName, Buffer.from(JSON.stringify(values)));
    },
    async (referred) => {
      onProgress({ ...state, stage: "blobs" });
      blobs = await addBlobs(
        archive,
        at,
        referred,
        blobBytes(installation.blobsOf(installation.dataDir)).read,
        () => {
          state.blobs += 1;
          onProgress({ ...state, stage: "blobs" });
        },
      );
    },
  );
  onProgress({ ...state, stage: "manifest" });
  const manifest: Manifest = {
    format: formatVersion,
    serviceVersion: installation.version,
    createdAt: at.toISOString(),
    masterKey: { fingerprint: null, canary: null },
    settings: {},
    ...database!,
    sequences: [],
    files: { count: 0, bytes: 0 },
    blobs: blobs!,
    workspaces: null,
  };
  await archive.addText(manifestNames.company, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
  await archive.end();
  return manifest;
};

const tablesOf = async (
  archive: ArchiveWriter,
  snapshot: CompanySnapshot,
  isClear: boolean,
  onRows: (table: string, rows: number) => void,
) => {
  const tables: Manifest["tables"] = [];
  const omitted = new Set<string>();
  for (const table of snapshot.tables) {
    const columns = table.columns.map(({ name }) => name);
    const cleared = isClear
      ? rowsWithoutSecrets(table.name, columns, (path) => omitted.add(`${table.name}: ${path}`))
      : (rows: Buffer) => rows;
    const rowsOf = async function* () {
      for await (const { count, text } of snapshot.rowsOf(table)) yield { count, text: cleared(text) };
    };
    const { name } = table;
    tables.push(await addTable(archive, { name, columns }, rowsOf(), (rows) => onRows(name, rows)));
  }
  return {
    schemaVersion: snapshot.migrations.at(-1)?.version ?? 0,
    migrations: snapshot.migrations.map(({ version: number, checksum }) => ({ version: number, checksum })),
    tables,
    company: { ...snapshot.company, omitted: [...omitted].sort() },
  };
};
