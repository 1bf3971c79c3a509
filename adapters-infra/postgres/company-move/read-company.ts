import type { Sql } from "postgres";
import { type CopiedRows, copyOutOf, literal } from "../backup/catalogue.ts";
import { appliedIn, inSnapshot, type ReferredBlobs } from "../backup/read-snapshot.ts";
import { folded } from "../folded.ts";
import type { Applied } from "../migrate.ts";
import { companyTables, type MovedTable, peopleTable } from "./company-tables.ts";

/** No company, or several, have that name. */
export class CompanyNotNamed extends Error {}

export interface FoundCompany {
  readonly id: string;
  readonly name: string;
  readonly issuePrefix: string;
}

/** The value of one version of a secret, as it is stored. */
export interface SealedValue {
  readonly id: string;
  readonly secretId: string;
  readonly version: number;
  readonly sealed: Uint8Array;
}

/** A company at one moment, whatever others write meanwhile. */
export interface CompanySnapshot {
  readonly sql: Sql;
  readonly company: FoundCompany;
  readonly migrations: readonly Applied[];
  readonly tables: readonly MovedTable[];
  rowsOf(table: MovedTable): AsyncIterable<CopiedRows>;
  sealedValues(): Promise<readonly SealedValue[]>;
}

/** Reads a company, by id, issue prefix or name, then the blobs of its files and logs. */
export const readCompany = async (
  url: string,
  named: string,
  readTables: (snapshot: CompanySnapshot) => Promise<void>,
  readBlobs: (blobs: ReferredBlobs) => Promise<void>,
): Promise<void> => {
  let id = "";
  await inSnapshot(
    url,
    async (sql) => {
      const migrations = await appliedIn(sql);
      const company = await findCompany(sql, named);
      id = company.id;
      const tables = await companyTables(sql);
      await readTables({
        sql,
        company,
        migrations,
        tables,
        rowsOf: (table) => copyOutOf(sql, rowsIn(table, tables, company.id)),
        sealedValues: () => sql<SealedValue[]>`
          select    id, secret_id, version, sealed
          from      secret_versions
          where     company_id = ${company.id}
          and       sealed is not null
          order by  id
        `,
      });
    },
    () => id,
    readBlobs,
  );
};

const findCompany = async (sql: Sql, named: string): Promise<FoundCompany> => {
  const found = await sql<FoundCompany[]>`
    select    id, name, issue_prefix
    from      companies
    where     id::text = lower(${named})
    or        issue_prefix = upper(${named})
    or        ${folded(sql, "name")} = lower(${named}::text collate "und-x-icu") collate "C"
    order by  id::text = lower(${named}) desc, issue_prefix = upper(${named}) desc, id
  `;
  const [first, second] = found;
  if (first === undefined) throw new CompanyNotNamed(`There is no company ${named}.`);
  const isExact = first.id === named.toLowerCase() || first.issuePrefix === named.toUpperCase();
  if (second !== undefined && !isExact)
    throw new CompanyNotNamed(
      `Several companies have the name ${named}. Name one by its issue prefix or id.`,
    );
  return first;
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The query of the rows of one company. Names come from the schema; ciphertexts stay, for which a byte stands. */
export const rowsIn = (table: MovedTable, tables: readonly MovedTable[], companyId: string): string => {
  const columns = table.columns.map(({ name }) => {
    if (table.name === "secret_versions" && name === "sealed")
      return `case when sealed is null then null else '\\x00'::bytea end`;
    return table.name === "routine_triggers" && name === "sealed_secret" ? "null::bytea" : quoted(name);
  });
  const order = table.key.length === 0 ? "" : ` order by ${table.key.map(quoted).join(", ")}`;
  return `select ${columns.join(", ")} from ${quoted(table.name)} where ${condition(table, tables, companyId)}${order}`;
};

const condition = ({ belongsBy }: MovedTable, tables: readonly MovedTable[], companyId: string): string => {
  if (belongsBy === "people") return `id in (${peopleIn(tables, companyId).join(" union ")})`;
  if (!("table" in belongsBy)) return `${quoted(belongsBy.column)} = ${literal(companyId)}`;
  const parent = tables.find(({ name }) => name === belongsBy.table)!;
  return `${quoted(belongsBy.column)} in (select ${quoted(belongsBy.key)} from ${quoted(parent.name)} where ${condition(parent, tables, companyId)})`;
};

const namesPerson = (column: string): boolean =>
  column.endsWith("_user_id") || ["actor_id", "by_id", "entity_id"].includes(column);

/** Each query has the ids of people, among others, of one column. */
const peopleIn = (tables: readonly MovedTable[], companyId: string): readonly string[] =>
  tables
    .filter(({ name }) => name !== peopleTable)
    .flatMap((table) =>
      table.columns
        .filter(({ name, type }) => type === "uuid" && namesPerson(name))
        .map(
          ({ name }) =>
            `select ${quoted(name)} from ${quoted(table.name)} where ${condition(table, tables, companyId)}`,
        ),
    );
