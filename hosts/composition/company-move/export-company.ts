import { createHash } from "node:crypto";
import { basename, dirname, resolve } from "node:path";
import type { ArchiveWriter } from "../../../adapters-infra/backup/archive-writer.ts";
import { writeFramed } from "../../../adapters-infra/backup/framed-files.ts";
import { partWriter } from "../../../adapters-infra/backup/part-writer.ts";
import { writeWholeFile } from "../../../adapters-infra/backup/write-whole-file.ts";
import {
  type CompanySnapshot,
  readCompany,
} from "../../../adapters-infra/postgres/company-move/read-company.ts";
import { blobBytes } from "../backup/blob-bytes.ts";
import { addBlobs, writeArchive } from "../backup/make-backup.ts";
import { formatVersion, type Manifest, manifestNames } from "../backup/manifest.ts";
import { withDatabase } from "../backup/with-database.ts";
import type { Config } from "../config.ts";
import { version } from "../version.ts";
import { openBlobs } from "../wiring/open-blobs.ts";
import { openValues, valuesName } from "./secret-values.ts";
import { rowsWithoutSecrets } from "./without-secrets.ts";

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
export const exportCompany = (config: Config, command: ExportCompany): Promise<ExportReport> => {
  const path = resolve(command.to);
  const at = new Date();
  let secretValues = 0;
  return withDatabase(config, async (url) => {
    const { manifest, written } = await writeArchive(
      { write: (name, source) => writeWholeFile(dirname(path), name, source) },
      basename(path),
      command.passphrase,
      at,
      (archive) => fill(archive, url, config, command, at, (count) => (secretValues = count)),
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
  url: string,
  config: Config,
  { company: named, passphrase, onProgress = () => {} }: ExportCompany,
  at: Date,
  onSecrets: (count: number) => void,
): Promise<Manifest> => {
  const state = { rows: 0, blobs: 0 };
  let database: Awaited<ReturnType<typeof addTables>> | null = null;
  let files: Manifest["files"] | null = null;
  let blobs: Manifest["blobs"] | null = null;
  await readCompany(
    url,
    named,
    async (snapshot) => {
      database = await addTables(archive, snapshot, passphrase === null, (table, rows) => {
        state.rows += rows;
        onProgress({ ...state, stage: "tables", table });
      });
      onProgress({ ...state, stage: "files" });
      const values =
        passphrase === null
          ? {}
          : await openValues(config, snapshot.sql, snapshot.company.id, await snapshot.sealedValues());
      onSecrets(Object.keys(values).length);
      files = await addValues(archive, passphrase === null ? null : JSON.stringify(values));
    },
    async (referred) => {
      onProgress({ ...state, stage: "blobs" });
      blobs = await addBlobs(archive, referred, blobBytes(openBlobs(config)).read, () => {
        state.blobs += 1;
        onProgress({ ...state, stage: "blobs" });
      });
    },
  );
  onProgress({ ...state, stage: "manifest" });
  const manifest: Manifest = {
    format: formatVersion,
    serviceVersion: version,
    createdAt: at.toISOString(),
    masterKey: { fingerprint: null, canary: null, wrapped: null },
    settings: {},
    ...database!,
    sequences: [],
    files: files!,
    blobs: blobs!,
    workspaces: null,
  };
  await archive.add(manifestNames.company, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
  await archive.end();
  return manifest;
};

const addTables = async (
  archive: ArchiveWriter,
  snapshot: CompanySnapshot,
  isClear: boolean,
  onRows: (table: string, rows: number) => void,
) => {
  const tables: Manifest["tables"] = [];
  const omitted = new Set<string>();
  for (const table of snapshot.tables) {
    const parts = partWriter(archive, `tables/${table.name}`);
    const columns = table.columns.map(({ name }) => name);
    const cleared = isClear
      ? rowsWithoutSecrets(table.name, columns, (path) => omitted.add(`${table.name}: ${path}`))
      : (rows: Buffer) => rows;
    const hash = createHash("sha256");
    let rows = 0;
    for await (const { count, text } of snapshot.rowsOf(table)) {
      const kept = cleared(text);
      hash.update(kept);
      await parts.add(kept);
      rows += count;
      onRows(table.name, count);
    }
    tables.push({
      name: table.name,
      columns,
      rows,
      sha256: hash.digest("hex"),
      parts: [...(await parts.end())],
    });
  }
  return {
    schemaVersion: snapshot.migrations.at(-1)?.version ?? 0,
    migrations: snapshot.migrations.map(({ version: number, checksum }) => ({ version: number, checksum })),
    tables,
    company: { ...snapshot.company, omitted: [...omitted].sort() },
  };
};

const addValues = async (archive: ArchiveWriter, text: string | null): Promise<Manifest["files"]> => {
  const parts = partWriter(archive, "files");
  if (text === null) return { count: 0, bytes: 0, parts: [] };
  const once = async function* () {
    yield Buffer.from(text);
  };
  const { bytes } = await writeFramed(parts, valuesName, once());
  return { count: 1, bytes, parts: [...(await parts.end())] };
};
