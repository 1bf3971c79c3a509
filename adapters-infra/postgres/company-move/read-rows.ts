import type { Sql } from "postgres";

const types = ["text", "integer", "bigint", "numeric", "date", "jsonb"];

/** The columns with values of their own in those tables; ids, times and what the database computes are left out. */
export const columnsOfTables = (
  sql: Sql,
  tables: readonly string[],
): PromiseLike<readonly { readonly table: string; readonly column: string }[]> =>
  sql<{ table: string; column: string }[]>`
    select    table_name as table, column_name as column
    from      information_schema.columns
    where     table_schema = 'public'
    and       table_name = any(${tables as string[]}::text[])
    and       data_type = any(${types}::text[])
    order by  table_name, ordinal_position
  `;

/** The rows of a company in a table, some at a time, but those that a condition in SQL excepts. */
export async function* rowsOfTable(
  sql: Sql,
  companyId: string,
  of: { readonly table: string; readonly columns: readonly string[]; readonly except: string },
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const pages = sql<Record<string, unknown>[]>`
    select  ${sql(of.columns as string[])}
    from    ${sql(of.table)}
    where   ${sql(of.table === "companies" ? "id" : "company_id")} = ${companyId}
    and     not (${sql.unsafe(of.except)})
  `.cursor(500);
  for await (const page of pages) yield* page;
}
