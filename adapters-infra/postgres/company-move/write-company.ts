import type { Sql } from "postgres";
import { nextIssuePrefix } from "../../../core/model/companies/company.ts";
import { referredBlobKeys } from "../backup/catalogue.ts";
import { appliedIn } from "../backup/read-snapshot.ts";
import { copyIn } from "../backup/restore-tables.ts";
import { openDatabase } from "../connection.ts";
import { isBeforeBaseline } from "../migrate.ts";
import { unboundedConnection } from "../unbounded-connection.ts";
import { CompanyRefused, notAsWritten } from "./company-refused.ts";
import { companyTables, type MovedTable, setLast } from "./company-tables.ts";
import { type CopiedCompany, copiedCompany } from "./copied-company.ts";
import { type CopyFacts, copiedFields } from "./copied-fields.ts";
import { type Move, rowMover } from "./move-rows.ts";

/** The trial has ended: nothing that it wrote stays. */
class TrialEnds extends Error {}

/** Notes blobs of the file before their rows are visible. */
export interface RecordedBlobs {
  /** At once: an import that is killed leaves the blob to the sweep. */
  loose(blobKey: string): Promise<void>;
  /** To be compared with the record of the file. */
  bytes(blobKey: string, of: { readonly bytes: number; readonly sha256: string }): Promise<void>;
}

/** A blob of an import that was killed is deleted after this time. */
const looseDays = 7;

export interface WriteCompany {
  readonly url: string;
  /** The tables of the file with their columns. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  /** Rows of the tables in the text format of COPY. */
  readonly parts: AsyncIterable<{ readonly table: string; readonly data: Buffer }>;
  readonly move: Move;
  readonly facts: CopyFacts;
  /** Writes the blobs, before any row is visible. */
  readonly beforeRows: (recorded: RecordedBlobs) => Promise<void>;
  /** Works on the rows of the copy, before anybody sees them. */
  readonly afterRows: (copy: CopiedCompany) => Promise<void>;
  /** Writes all, and takes it back. */
  readonly dryRun: boolean;
}

/** Refuses a file whose schema is not the one of the database. */
export const requireSameSchema = async (
  sql: Sql,
  from: readonly { readonly version: number; readonly checksum: string }[],
): Promise<void> => {
  if (isBeforeBaseline(from))
    throw new CompanyRefused(
      "The file was exported by an earlier build of the service, and its schema cannot be read. Export the company as a template with that build: `boardroom companies export` without --full.",
    );
  const own = await appliedIn(sql);
  const [theirs, ours] = [from.at(-1)?.version ?? 0, own.at(-1)?.version ?? 0];
  if (theirs > ours)
    throw new CompanyRefused(
      `The file is at schema version ${theirs}, and this service at ${ours}: upgrade the service, then import it again.`,
    );
  if (theirs < ours)
    throw new CompanyRefused(
      `The file is at schema version ${theirs}, and this service at ${ours}: upgrade the service that has the company, then export it again.`,
    );
  if (JSON.stringify(own.map(fieldsOf)) !== JSON.stringify(from.map(fieldsOf)))
    throw new CompanyRefused("The schema of the file differs from the one of this version of the service.");
};

const fieldsOf = ({ version, checksum }: { readonly version: number; readonly checksum: string }) => [
  version,
  checksum,
];

/** The issue prefix of the original, or the first free one after it. */
export const freePrefix = async (sql: Sql, prefix: string): Promise<string> => {
  for (let n = 0; ; n += 1) {
    const candidate = nextIssuePrefix(prefix, n);
    const [taken] = await sql`select from companies where issue_prefix = ${candidate}`;
    if (taken === undefined) return candidate;
  }
};

/**
 * Makes a company of the rows of a file, in one transaction: it is there as a whole or not at all. The rows are loaded
 * into temporary tables first, so that nobody waits for a long file.
 */
export const writeCompany = async (command: WriteCompany): Promise<void> => {
  const sql = unboundedConnection(command.url);
  const loose = openDatabase(command.url, { max: 1 });
  try {
    await sql.begin(async (transaction) => {
      const tx = transaction as unknown as Sql;
      const tables = await companyTables(tx);
      await stage(tx, tables, command);
      await tx`create temporary table moving_blobs (blob_key text, bytes bigint, sha256 text) on commit drop`;
      await command.beforeRows({
        loose: async (blobKey) => {
          await loose`
            insert into loose_blobs (blob_key, due_at)
            values (${blobKey}, now() + make_interval(days => ${looseDays}))
          `;
        },
        bytes: async (blobKey, { bytes, sha256 }) => {
          await tx`insert into moving_blobs (blob_key, bytes, sha256) values (${blobKey}, ${bytes}, ${sha256})`;
        },
      });
      await insertAll(tx, tables, command);
      await command.afterRows(copiedCompany(tx, command.facts.companyId));
      await takeBlobsIntoUse(tx, command.facts.companyId);
      if (command.dryRun) throw new TrialEnds();
    });
  } catch (error) {
    if (!(error instanceof TrialEnds)) throw asRefusal(error);
  } finally {
    await sql.end({ timeout: 0 });
    await loose.end({ timeout: 5 });
  }
};

/**
 * Rows that PostgreSQL refuses: data exceptions, constraints and limits, or whatever aborted the transaction while rows
 * were loaded. Its own words may repeat the file's.
 */
const asRefusal = (error: unknown, table: string | null = null): unknown => {
  const { code, table_name, constraint_name } = error as {
    readonly code?: string;
    readonly table_name?: string;
    readonly constraint_name?: string;
  };
  if (typeof code !== "string" || !/^(?:22|23|54|25P02)/.test(code)) return error;
  const name = table ?? table_name?.replace(/^moving_/, "");
  return new CompanyRefused(
    `The file has a row${name === undefined ? "" : ` of the table ${name}`} that no company can have${constraint_name === undefined ? "" : ` (${constraint_name})`}.`,
  );
};

const staged = (name: string): string => `moving_${name}`;

const stage = async (tx: Sql, tables: readonly MovedTable[], command: WriteCompany): Promise<void> => {
  const own = new Map(tables.map((table) => [table.name, table]));
  const movers = new Map<string, ReturnType<typeof rowMover>>();
  for (const { name, columns } of command.tables) {
    const table = own.get(name);
    if (table === undefined || columns.join() !== table.columns.map((column) => column.name).join())
      throw new CompanyRefused("The tables of the file are not those of its schema version.");
    if (movers.has(name)) throw notAsWritten();
    movers.set(name, rowMover(name, table.columns, command.move));
    await tx`
      create temporary table ${tx(staged(name))} on commit drop as
      select ${tx(columns as string[])} from ${tx(name)} with no data
    `;
  }
  if (movers.size !== own.size)
    throw new CompanyRefused("The tables of the file are not those of its schema version.");
  for await (const { table, data } of command.parts) {
    const mover = movers.get(table);
    if (mover === undefined) throw notAsWritten();
    const columns = own.get(table)!.columns.map(({ name }) => name);
    await copyIn(tx, { name: staged(table), columns }, mover(data)).catch((error: unknown) => {
      throw asRefusal(error, table);
    });
  }
  const [company] = await tx<{ count: number }[]>`
    select count(*)::int as count from moving_companies where id = ${command.facts.companyId}
  `;
  const [all] = await tx<{ count: number }[]>`select count(*)::int as count from moving_companies`;
  if (company?.count !== 1 || all?.count !== 1)
    throw new CompanyRefused("The file does not have exactly one company.");
};

const insertAll = async (tx: Sql, tables: readonly MovedTable[], { facts }: WriteCompany): Promise<void> => {
  const fields = copiedFields(tx, facts);
  for (const { name, columns, key } of tables) {
    const values = columns.map(({ name: column, type }) => {
      const value =
        fields[name]?.[column] ?? (column === "company_id" ? tx`${facts.companyId}::uuid` : tx(column));
      return { column, value: tx`(${value})::${tx.unsafe(type)}` };
    });
    const list = values.map(({ value }, at) => (at === 0 ? value : tx`, ${value}`));
    await tx`
      insert into ${tx(name)} (${tx(values.map(({ column }) => column))})
      select      ${list}
      from        ${tx(staged(name))}
      ${key.length === 0 ? tx`` : tx`order by ${tx(key as string[])}`}
    `;
  }
  for (const { table, column } of setLast)
    await tx`
      update  ${tx(table)} as row
      set     ${tx(column)} = moved.${tx(column)}
      from    ${tx(staged(table))} as moved
      where   row.id = moved.id
      and     moved.${tx(column)} is not null
    `;
  await tx`
    update companies set logo_asset_id = null
    where  id = ${facts.companyId}
    and    not exists (select from assets where id = logo_asset_id and purpose = 'logo')
  `;
  await tx`
    select  setval(issue_numbers_of(${facts.companyId}::uuid)::regclass, max(split_part(identifier, '-', 2)::bigint))
    from    issues
    where   company_id = ${facts.companyId}
    having  count(*) > 0
  `;
};

/** Blobs of an import are loose until its rows refer to them. Whatever no row refers to stays so, and is deleted. */
const takeBlobsIntoUse = async (tx: Sql, companyId: string): Promise<void> => {
  const keys = await referredBlobKeys(tx, companyId);
  await tx`
    delete from loose_blobs
    where  due_at > '-infinity'
    and    blob_key in (${tx.unsafe(keys)})
  `;
};
