import type { Sql } from "postgres";
import { leftOut } from "../backup/catalogue.ts";

/** Tables that do not move with a company, with the reason. The rows of every other table that belong to it do. */
export const staysBehind: Readonly<Record<string, string>> = {
  ...leftOut,
  account_holds: "how long a provider refuses an account, which the first run finds out again",
  agent_keys: "credentials are never copied: the copy gets keys of its own",
  assistant_tokens: "credentials of people",
  assistants: "credentials of people",
  board_tokens: "credentials of people",
  data_keys: "the copy seals its secrets with a key of its own",
  email_addresses: "of people of the original",
  email_confirmations: "credentials of people",
  event_deliveries: "what was sent to the subscriptions of the original",
  event_subscriptions: "what happens in the copy is not for those who follow the original",
  identities: "accounts of people at sign-in providers",
  idempotency_keys: "requests to the original",
  inbox_dismissals: "entries that people snoozed in the original",
  instance_settings: "of the service, not of a company",
  invited_addresses: "of people of the original",
  issue_counts: "counted anew by the rows of the copy",
  issue_watchers: "people of the original; those of the copy begin to watch it themselves",
  loose_blobs: "files that no record refers to",
  memberships: "rights of people of the original; instance admins have those of the copy",
  oauth_clients: "programs that asked people of the original",
  passkeys: "credentials of people",
  notice_chats: "credentials of people",
  notice_cursors: "positions in the order of that server's transactions",
  notice_people: "what people of the original want to be told",
  notices: "what people of the original were told",
  push_deliveries: "notices that browsers of people of the original have",
  push_subscriptions: "browsers of people of the original",
  saved_views: "views of people of the original",
  sign_in_codes: "credentials of people",
  sign_ins: "of people of the original",
  issue_workspaces: "folders on the disks of the original",
  workspace_commands: "what was carried out in these",
  task_sessions: "sessions of programs on the disks of the original",
  usage_windows: "what programs report of an account, which the first run finds out again",
};

/** People who did something in the company come along by name, without credentials or rights. */
export const peopleTable = "board_users";

/** Columns that name a row whose table is loaded later; they are filled last. */
export const setLast: readonly { readonly table: string; readonly column: string }[] = [
  { table: "companies", column: "logo_asset_id" },
  { table: "routines", column: "parent_issue_id" },
];

export interface MovedColumn {
  readonly name: string;
  /** As PostgreSQL names it: `uuid`, `text`, `jsonb`, … */
  readonly type: string;
}

/** How the rows of one company are found: by a column with its id, or by a row that is found so. */
export type BelongsBy =
  | { readonly column: string }
  | { readonly column: string; readonly table: string; readonly key: string }
  | "people";

export interface MovedTable {
  readonly name: string;
  readonly columns: readonly MovedColumn[];
  readonly key: readonly string[];
  readonly belongsBy: BelongsBy;
}

interface Table {
  readonly name: string;
  readonly columns: readonly MovedColumn[];
  readonly key: readonly string[];
}

interface Reference {
  readonly from: string;
  readonly to: string;
  readonly columns: readonly string[];
  readonly keys: readonly string[];
}

/** The schema has a table of which it is not known how it moves with a company. */
export class TableUnassigned extends Error {}

/**
 * Tables of the schema that move with a company, each after those that it refers to. Derived from the schema: a new table
 * belongs to a company by its `company_id` or by a reference, or it needs a reason in `staysBehind`.
 */
export const companyTables = async (sql: Sql): Promise<readonly MovedTable[]> => {
  const all = await tablesIn(sql);
  const references = await referencesIn(sql);
  const moved = all
    .filter(({ name }) => staysBehind[name] === undefined)
    .map((table): MovedTable => ({ ...table, belongsBy: belonging(table, references) }));
  return inOrder(moved, references);
};

const belonging = ({ name, columns }: Table, references: readonly Reference[]): BelongsBy => {
  if (name === peopleTable) return "people";
  if (name === "companies") return { column: "id" };
  if (columns.some((column) => column.name === "company_id")) return { column: "company_id" };
  const way = references.find(
    ({ from, to, columns: named }) =>
      from === name && named.length === 1 && to !== peopleTable && staysBehind[to] === undefined,
  );
  if (way !== undefined) return { column: way.columns[0]!, table: way.to, key: way.keys[0]! };
  throw new TableUnassigned(
    `The table ${name} has no company_id and refers to no table of a company: give it a reason in staysBehind.`,
  );
};

const inOrder = (tables: readonly MovedTable[], references: readonly Reference[]): readonly MovedTable[] => {
  const isSetLast = ({ from, columns }: Reference) =>
    setLast.some(({ table, column }) => table === from && columns.includes(column));
  const needed = references.filter((each) => each.from !== each.to && !isSetLast(each));
  const ordered: MovedTable[] = [];
  let remaining = [...tables];
  while (remaining.length > 0) {
    const names = new Set(remaining.map(({ name }) => name));
    const ready = remaining.filter(
      ({ name }) => !needed.some(({ from, to }) => from === name && names.has(to)),
    );
    if (ready.length === 0)
      throw new TableUnassigned(
        `The tables ${[...names].join(", ")} refer to each other: name a column of them in setLast.`,
      );
    ordered.push(...ready);
    remaining = remaining.filter((each) => !ready.includes(each));
  }
  return ordered;
};

/** Without columns that the database fills: generated ones, words of the search, transactions and running numbers. */
const tablesIn = async (sql: Sql): Promise<readonly Table[]> => {
  const rows = await sql<{ name: string; columns: string[]; types: string[]; key: string[] | null }[]>`
    select    class.relname as name,
              array_agg(attribute.attname::text order by attribute.attnum) as columns,
              array_agg(format_type(attribute.atttypid, null) order by attribute.attnum) as types,
              (
                select  array_agg(part.attname::text order by array_position(index.indkey::int2[], part.attnum))
                from    pg_index index
                join    pg_attribute part on part.attrelid = class.oid and part.attnum = any(index.indkey::int2[])
                where   index.indrelid = class.oid
                and     index.indisprimary
              ) as key
    from      pg_class class
    join      pg_attribute attribute on attribute.attrelid = class.oid
    left join pg_attrdef given on given.adrelid = class.oid and given.adnum = attribute.attnum
    where     class.relnamespace = 'public'::regnamespace
    and       class.relkind in ('r', 'p')
    and       attribute.attnum > 0
    and       not attribute.attisdropped
    and       attribute.attgenerated = ''
    and       attribute.attidentity = ''
    and       attribute.atttypid not in ('tsvector'::regtype, 'xid8'::regtype)
    and       coalesce(pg_get_expr(given.adbin, given.adrelid) not like 'nextval(%', true)
    group by  class.oid, class.relname
    order by  class.relname
  `;
  return rows.map(({ name, columns, types, key }) => ({
    name,
    key: key ?? [],
    columns: columns.map((column, at) => ({ name: column, type: types[at]! })),
  }));
};

const referencesIn = (sql: Sql): PromiseLike<readonly Reference[]> => sql<Reference[]>`
  select    con.conrelid::regclass::text as from,
            con.confrelid::regclass::text as to,
            (
              select array_agg(a.attname::text order by n) from unnest(con.conkey) with ordinality k (num, n)
              join pg_attribute a on a.attrelid = con.conrelid and a.attnum = k.num
            ) as columns,
            (
              select array_agg(a.attname::text order by n) from unnest(con.confkey) with ordinality k (num, n)
              join pg_attribute a on a.attrelid = con.confrelid and a.attnum = k.num
            ) as keys
  from      pg_constraint con
  where     con.connamespace = 'public'::regnamespace
  and       con.contype = 'f'
  order by  con.conrelid::regclass::text, con.conname
`;
