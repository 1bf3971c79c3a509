import type { Readable } from "node:stream";
import type { Sql } from "postgres";

/** Tables that a backup leaves out, with the reason. Every other table is in it. */
export const leftOut: Readonly<Record<string, string>> = {
  schema_migrations: "a restore applies the migrations, and writes it with them",
  services: "the processes of the service that was backed up",
  used_challenges: "challenges of passkeys, which expire within minutes",
  volumes: "the disks of those services",
  deleted_events: "positions in the order of that server's transactions",
};

/** A table with the columns that a backup holds. */
export interface TableColumns {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * All tables of the schema with their columns. Left out are columns that the database computes: generated ones, words of
 * the search, and numbers of transactions, which count anew on another server.
 */
export const tablesOf = (sql: Sql): PromiseLike<readonly TableColumns[]> => sql<TableColumns[]>`
  select    class.relname as name, array_agg(attribute.attname::text order by attribute.attnum) as columns
  from      pg_class class
  join      pg_attribute attribute on attribute.attrelid = class.oid
  where     class.relnamespace = 'public'::regnamespace
  and       class.relkind in ('r', 'p')
  and       class.relname <> all(${Object.keys(leftOut)}::text[])
  and       attribute.attnum > 0
  and       not attribute.attisdropped
  and       attribute.attgenerated = ''
  and       attribute.atttypid not in ('tsvector'::regtype, 'xid8'::regtype)
  group by  class.relname
  order by  class.relname
`;

/**
 * A query of the keys of all blobs that records refer to, of one company (an id) or of all. The tables are those of the
 * database, which may be older than this version.
 */
export const referredBlobKeys = async (sql: Sql, companyId: string | null): Promise<string> => {
  const tables = await sql<{ name: string }[]>`
    select    attrelid::regclass::text as name
    from      pg_attribute
    join      pg_class on pg_class.oid = attrelid
    where     relnamespace = 'public'::regnamespace
    and       relkind in ('r', 'p')
    and       attname = 'blob_key'
    and       relname <> 'loose_blobs'
    order by  1
  `;
  const ofCompany = companyId === null ? "" : ` and company_id = ${literal(companyId)}`;
  return tables
    .map(({ name }) => `select blob_key from ${name} where blob_key is not null${ofCompany}`)
    .join(" union ");
};

/** For statements that take no parameters: those that define a cursor, or copy. */
export const literal = (id: string): string => {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error("not an id");
  return `'${id}'::uuid`;
};

export interface SequenceValue {
  readonly name: string;
  /** Digits; null: it was never used. */
  readonly lastValue: string | null;
}

/** Later than every row of the snapshot, because sequences belong to no transaction. */
export const sequencesOf = (sql: Sql): PromiseLike<readonly SequenceValue[]> => sql<SequenceValue[]>`
  select    sequencename::text as name, last_value::text as last_value
  from      pg_sequences
  where     schemaname = 'public'
  order by  sequencename
`;

/** Rows in the text format of COPY, each with its line end. */
export interface CopiedRows {
  readonly count: number;
  readonly text: Buffer;
}

/** Reads all rows of a table, some at a time. */
export async function* copyOut(sql: Sql, { name, columns }: TableColumns): AsyncGenerator<CopiedRows, void> {
  yield* rowsFrom(await sql`copy ${sql(name)} (${sql(columns as string[])}) to stdout`.readable());
}

/** Reads all rows of a query, some at a time. The query is made of names of the schema and ids. */
export async function* copyOutOf(sql: Sql, query: string): AsyncGenerator<CopiedRows, void> {
  yield* rowsFrom(await sql`copy (${sql.unsafe(query)}) to stdout`.readable());
}

async function* rowsFrom(stream: Readable): AsyncGenerator<CopiedRows, void> {
  for await (const text of stream) yield { count: linesOf(text as Buffer), text: text as Buffer };
  // The client (postgres 3.4.9) leaves the socket paused where the last rows filled the stream.
  stream._read(0);
}

/** The client passes whole rows, and a line end within a row is escaped. */
const linesOf = (text: Buffer): number => {
  let count = 0;
  for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) count += 1;
  return count;
};
