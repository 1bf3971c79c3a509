import { once } from "node:events";
import { finished } from "node:stream/promises";
import type { Sql } from "postgres";
import { becomeAnotherInstallation } from "../installation.ts";
import {
  type Applied,
  applyIn,
  compare,
  createMigrationsTable,
  migrationLock,
  readMigrations,
} from "../migrate.ts";
import { unboundedConnection } from "../unbounded-connection.ts";
import { type CopiedRows, copyOut, type SequenceValue, type TableColumns, tablesOf } from "./catalogue.ts";

/** The database has tables. */
export class DatabaseNotEmpty extends Error {}
/** The backup is of another schema than this version can make. */
export class SchemaUnknown extends Error {}

export interface RestoredTables {
  readonly migrations: readonly Applied[];
  readonly tables: readonly TableColumns[];
  readonly sequences: readonly SequenceValue[];
}

export interface RestoreTables {
  readonly url: string;
  readonly from: RestoredTables;
  /** Parts of the tables in their order, in the text format of COPY. */
  readonly parts: AsyncIterable<{ readonly table: string; readonly data: Buffer }>;
  /** Identifies the restore of a copy; a repeated one recognises its own database by it. */
  readonly id?: string;
  /** The database changes its server, and is no copy: it stays at its schema, and its agents are not held. */
  readonly isSameInstallation?: boolean;
  /** Reads the tables before they are migrated on. */
  readonly check?: (rowsOf: (table: TableColumns) => AsyncIterable<CopiedRows>) => Promise<void>;
  /** Does what must be done before the tables are visible. */
  readonly beforeCommit?: () => Promise<void>;
}

/** Refuses a schema that this version does not know, before anything is written. */
export const requireKnownSchema = async (applied: readonly Applied[]): Promise<void> => {
  const refusal = compare(await readMigrations(), applied);
  if (refusal === null) return;
  switch (refusal._tag) {
    case "DatabaseTooNew":
      throw new SchemaUnknown(
        `The backup is at schema version ${refusal.databaseVersion}, and this version of the service knows version ${refusal.codeVersion} at most. Restore it with the version that made it, or a later one.`,
      );
    case "DatabaseTooOld":
      throw new SchemaUnknown(
        "The backup was made by an earlier build of the service, and its schema cannot be upgraded. Restore it with the build that made it.",
      );
    case "MigrationChanged":
      throw new SchemaUnknown(refusal.message.replace("The database", "The database of the backup"));
  }
};

/** Whether the database was made by that restore. */
export const isRestoredBy = async (url: string, id: string): Promise<boolean> => {
  const sql = unboundedConnection(url);
  try {
    const [known] = await sql<{ exists: boolean }[]>`
      select to_regclass('public.instance_settings') is not null as exists
    `;
    if (known?.exists !== true) return false;
    const [row] = await sql<{ same: boolean }[]>`
      select coalesce(value ->> 'id' = ${id}, false) as same from instance_settings where name = 'restored'
    `;
    return row?.same ?? false;
  } finally {
    await sql.end({ timeout: 0 });
  }
};

export const requireEmpty = async (url: string): Promise<void> => {
  const sql = unboundedConnection(url);
  try {
    await refuseTables(sql);
  } finally {
    await sql.end({ timeout: 0 });
  }
};

/**
 * Makes the schema of the backup in an empty database, loads its rows, and migrates it on to this version, in one
 * transaction: the database is restored or empty. The agents of the copy are held, and nothing of it refers to processes,
 * disks or transactions of the original.
 */
export const restoreTables = async ({
  url,
  from,
  parts,
  id = "",
  isSameInstallation = false,
  check,
  beforeCommit,
}: RestoreTables): Promise<void> => {
  const sql = unboundedConnection(url);
  try {
    await sql.begin(async (transaction) => {
      const tx = transaction as unknown as Sql;
      await tx`select pg_advisory_xact_lock(${migrationLock})`;
      await refuseTables(tx);
      const all = await readMigrations();
      const known = new Set(from.migrations.map(({ version }) => version));
      await createMigrationsTable(tx);
      for (const migration of all.filter(({ version }) => known.has(version))) await applyIn(tx, migration);
      const connected = await takeConstraintsOff(tx);
      const tables = await load(tx, from.tables, parts);
      await setSequences(tx, from.sequences);
      await putConstraintsOn(tx, connected);
      await check?.((table) => copyOut(tx, tables.get(table.name)!));
      if (!isSameInstallation) {
        for (const migration of all.filter(({ version }) => !known.has(version)))
          await applyIn(tx, migration);
        await partFromOriginal(tx, id);
      }
      await beginStreamsAnew(tx);
      await tx`analyze`;
      await beforeCommit?.();
    });
  } finally {
    await sql.end({ timeout: 0 });
  }
};

/** Tables of extensions are the server's. */
const isEmpty = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ empty: boolean }[]>`
    select  not exists (
              select
              from    pg_class class
              where   relnamespace = 'public'::regnamespace
              and     relkind in ('r', 'p', 'v', 'm', 'S', 'f')
              and     not exists (select from pg_depend where objid = class.oid and deptype = 'e')
            ) as empty
  `;
  return row?.empty === true;
};

const refuseTables = async (sql: Sql): Promise<void> => {
  if (!(await isEmpty(sql)))
    throw new DatabaseNotEmpty("The database is not empty. Restore into an empty one.");
};

interface Constraint {
  readonly tableName: string;
  readonly name: string;
  readonly definition: string;
}

interface Connected {
  readonly references: readonly Constraint[];
  readonly triggers: readonly { readonly tableName: string; readonly name: string }[];
}

/**
 * Rows arrive in the order of the tables' names, and triggers have had their effect in the original. The owner of the
 * tables may do this, without being a superuser. Triggers that are always on stay.
 */
const takeConstraintsOff = async (tx: Sql): Promise<Connected> => {
  const references = await tx<Constraint[]>`
    select    conrelid::regclass::text as table_name, conname::text as name, pg_get_constraintdef(oid) as definition
    from      pg_constraint
    where     connamespace = 'public'::regnamespace
    and       contype = 'f'
    order by  1, 2
  `;
  const triggers = await tx<{ tableName: string; name: string }[]>`
    select    tgrelid::regclass::text as table_name, tgname::text as name
    from      pg_trigger
    where     not tgisinternal
    and       tgenabled = 'O'
    order by  1, 2
  `;
  for (const { tableName, name } of references)
    await tx`alter table ${tx(tableName)} drop constraint ${tx(name)}`;
  for (const { tableName, name } of triggers)
    await tx`alter table ${tx(tableName)} disable trigger ${tx(name)}`;
  return { references, triggers };
};

/** Each row is checked against the rows that it refers to. */
const putConstraintsOn = async (tx: Sql, { references, triggers }: Connected): Promise<void> => {
  // The definition is PostgreSQL's own text, made from the migrations.
  for (const { tableName, name, definition } of references)
    await tx`alter table ${tx(tableName)} add constraint ${tx(name)} ${tx.unsafe(definition)}`;
  for (const { tableName, name } of triggers)
    await tx`alter table ${tx(tableName)} enable trigger ${tx(name)}`;
};

/** Bytes of one message to the server. */
const pieceBytes = 64 * 1024;

/** Takes names of tables and columns only from the schema, never from the backup. Returns the tables that it loads. */
const load = async (
  tx: Sql,
  given: readonly TableColumns[],
  parts: RestoreTables["parts"],
): Promise<ReadonlyMap<string, TableColumns>> => {
  const own = new Map((await tablesOf(tx)).map((table) => [table.name, table]));
  const tables = new Map(
    given.map(({ name, columns }): [string, TableColumns] => {
      const table = own.get(name);
      if (
        table === undefined ||
        columns.length === 0 ||
        !columns.every((each) => table.columns.includes(each))
      )
        throw new SchemaUnknown("The tables of the backup are not those of its schema version.");
      return [name, { name, columns }];
    }),
  );
  for await (const { table: name, data } of parts) {
    const table = tables.get(name);
    if (table === undefined) throw new SchemaUnknown("The backup has rows of an unknown table.");
    await copyIn(tx, table, data);
  }
  return tables;
};

/**
 * Where PostgreSQL refuses rows after their end was sent, the client (postgres 3.4.9) never ends the stream. A statement
 * that is sent behind the end tells: it is refused, too.
 */
export const copyIn = async (tx: Sql, { name, columns }: TableColumns, data: Buffer): Promise<void> => {
  const stream = await tx`copy ${tx(name)} (${tx(columns as string[])}) from stdin`.writable();
  const ended = finished(stream);
  const sendEnd = stream._final.bind(stream);
  const isSent = new Promise<void>((resolve) => {
    stream._final = (done) => {
      sendEnd(done);
      resolve();
    };
  });
  for (let at = 0; at < data.length; at += pieceBytes)
    if (!stream.write(data.subarray(at, at + pieceBytes))) await Promise.race([once(stream, "drain"), ended]);
  stream.end();
  await Promise.race([isSent, ended]);
  await Promise.race([ended, tx`select 1`]);
};

/** Some belong to rows, and are made by a trigger that was off. */
const setSequences = async (tx: Sql, sequences: readonly SequenceValue[]): Promise<void> => {
  for (const { name, lastValue } of sequences) {
    await tx`create sequence if not exists ${tx(name)}`;
    if (lastValue !== null)
      await tx`select setval(format('public.%I', ${name}::text)::regclass, ${lastValue}::text::bigint)`;
  }
};

const partFromOriginal = async (tx: Sql, id: string): Promise<void> => {
  await tx`
    insert into instance_settings (name, value)
    values ('restored', jsonb_build_object('id', ${id}::text, 'heldSince', ${instantNow(tx)}))
    on conflict (name) do update set value = excluded.value
  `;
  // Its files belong to the original, which may continue.
  await tx`
    delete from instance_settings
    where  name = 'backups'
  `;
  await becomeAnotherInstallation(tx);
};

/** Readers know events by an order of the former server's transactions. */
const beginStreamsAnew = async (tx: Sql): Promise<void> => {
  await tx`
    insert into deleted_events (company_id, xid, position)
    select id, pg_current_xact_id(), coalesce((select last_value from stream_positions), 0)
    from   companies
  `;
};

const instantNow = (tx: Sql) => tx`to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
