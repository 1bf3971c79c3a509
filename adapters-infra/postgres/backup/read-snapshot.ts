import type { Sql } from "postgres";
import { backupLock } from "../backup-lock.ts";
import { expectedFingerprintIn } from "../key-fingerprint.ts";
import type { Applied } from "../migrate.ts";
import { unboundedConnection } from "../unbounded-connection.ts";
import {
  type CopiedRows,
  copyOut,
  referredBlobKeys,
  type SequenceValue,
  sequencesOf,
  type TableColumns,
  tablesOf,
} from "./catalogue.ts";

/** Another backup of the same database runs. */
export class BackupRuns extends Error {}
/** The database is not at a schema that this version of the service reads. */
export class NothingToBackUp extends Error {}

/** A wrapped data key, which only the master key opens. */
export interface WrappedDataKey {
  /** Base64. */
  readonly wrapped: string;
  readonly wrappedBy: string;
}

/** All tables at one moment, whatever others write meanwhile. */
export interface Snapshot {
  /** All applied ones, in their order. */
  readonly migrations: readonly Applied[];
  readonly tables: readonly TableColumns[];
  readonly sequences: readonly SequenceValue[];
  readonly masterKeyFingerprint: string | null;
  readonly dataKey: WrappedDataKey | null;
  /** A service works on the database: its callers wait for what the reader of the snapshot takes. */
  readonly hasLiveService: boolean;
  rowsOf(table: TableColumns): AsyncIterable<CopiedRows>;
}

/** The keys of the blobs to which the snapshot refers. None of them is deleted until it is closed. */
export interface ReferredBlobs {
  next(): Promise<readonly string[]>;
}

/**
 * Reads a snapshot of a database, then the blobs to which it refers. The transaction ends between the two, so that a
 * long copy of blobs does not keep the database from removing old rows.
 */
export const readSnapshot = (
  url: string,
  readTables: (snapshot: Snapshot) => Promise<void>,
  readBlobs: (blobs: ReferredBlobs) => Promise<void>,
): Promise<void> => inSnapshot(url, async (sql) => readTables(await open(sql)), null, readBlobs);

/** Like `readSnapshot`; of one company (an id) only its blobs. */
export const inSnapshot = async (
  url: string,
  readTables: (sql: Sql) => Promise<void>,
  companyOf: (() => string) | null,
  readBlobs: (blobs: ReferredBlobs) => Promise<void>,
): Promise<void> => {
  const sql = unboundedConnection(url);
  try {
    await takeLock(sql);
    await sql`begin isolation level repeatable read, read only`;
    await readTables(sql);
    const keys = await referredBlobKeys(sql, companyOf === null ? null : companyOf());
    await sql`declare referred_blobs cursor with hold for ${sql.unsafe(keys)}`;
    await sql`commit`;
    await readBlobs({
      next: async () =>
        (await sql<{ blobKey: string }[]>`fetch 1000 from referred_blobs`).map(({ blobKey }) => blobKey),
    });
  } finally {
    await sql.end({ timeout: 0 });
  }
};

const takeLock = async (sql: Sql): Promise<void> => {
  await sql`set lock_timeout = '20s'`;
  try {
    await sql`select pg_advisory_lock(${backupLock})`;
  } catch (error) {
    if ((error as { code?: string }).code !== "55P03") throw error;
    throw new BackupRuns("Another backup of this database runs. Try again when it has ended.");
  }
};

/** The applied migrations, in their order. */
export const appliedIn = async (sql: Sql): Promise<readonly Applied[]> => {
  const [known] = await sql<{ exists: boolean }[]>`
    select to_regclass('public.schema_migrations') is not null as exists
  `;
  if (known?.exists !== true) throw new NothingToBackUp("The database is empty: no service has used it yet.");
  return [...(await sql<Applied[]>`select version, checksum from schema_migrations order by version`)];
};

const open = async (sql: Sql): Promise<Snapshot> => {
  const migrations = await appliedIn(sql);
  const [key] = await sql<{ wrapped: Buffer; wrappedBy: string }[]>`
    select  wrapped, wrapped_by
    from    data_keys
    where   company_id is null
  `;
  const [live] = await sql<{ exists: boolean }[]>`
    select exists(select from services where lease_until >= now())
  `;
  return {
    migrations,
    hasLiveService: live!.exists,
    tables: [...(await tablesOf(sql))],
    sequences: [...(await sequencesOf(sql))],
    masterKeyFingerprint: await expectedFingerprintIn(sql),
    dataKey: key === undefined ? null : { ...key, wrapped: key.wrapped.toString("base64") },
    rowsOf: (table) => copyOut(sql, table),
  };
};
