import type { Sql } from "postgres";

interface Column {
  readonly name: string;
  readonly definition: string;
}

interface Table {
  readonly name: string;
  readonly storage: string | null;
  readonly columns: readonly Column[];
  readonly constraints: readonly string[];
  /** Indexes and triggers. */
  readonly parts: readonly { readonly name: string; readonly definition: string }[];
}

/** The schema of a database as PostgreSQL prints it, in the order of its creation, with the comments of the migrations. */
export const schemaText = async (sql: Sql, migrations: readonly string[]): Promise<string> => {
  const comments = commentsIn(migrations);
  const above = (name: string, indent = "") =>
    (comments.get(name) ?? []).map((line) => `${indent}-- ${line}\n`).join("");
  const tables = (await tablesOf(sql)).map(({ name, storage, columns, constraints, parts }) =>
    [
      `${above(name)}create table ${name} (`,
      [
        ...columns.map((one) => `${above(`${name}.${one.name}`, "  ")}  ${one.name} ${one.definition}`),
        ...constraints.map((line) => `  ${line}`),
      ].join(",\n"),
      storage === null ? ");" : `) with (${storage});`,
      ...parts.map((part) => `${above(part.name)}${part.definition};`),
    ].join("\n"),
  );
  const functions = (await functionsOf(sql)).map(
    ({ name, definition }) => `${above(name)}${definition.trimEnd()};`,
  );
  return `${[...(await sequencesOf(sql)), ...tables, ...functions]
    .join("\n\n")
    .replaceAll("public.", "")
    .replaceAll(/timestamp(\(3\))? with time zone/g, "timestamptz$1")}\n`;
};

/** By the names of tables, functions, indexes, triggers, and columns as `table.column`. */
const commentsIn = (migrations: readonly string[]): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, readonly string[]>();
  let lines: string[] = [];
  let table = "";
  for (const line of migrations.flatMap((text) => text.split("\n"))) {
    const comment = /^ *-- (.*)$/.exec(line)?.[1];
    if (comment !== undefined) {
      lines.push(comment);
      continue;
    }
    const [, kind, statement] =
      /^(?:create|alter) (?:unique |or replace )?(table|index|function|trigger) (\w+)/.exec(line) ?? [];
    if (!line.startsWith(" ")) table = kind === "table" ? (statement ?? "") : "";
    const column = table === "" ? undefined : /^ +(?:add column )?(\w+) /.exec(line)?.[1];
    const name = statement ?? (column === undefined ? undefined : `${table}.${column}`);
    if (name !== undefined && lines.length > 0) found.set(name, lines);
    lines = [];
  }
  return found;
};

const tablesOf = (sql: Sql) => sql<Table[]>`
  select    class.relname as name,
            array_to_string(class.reloptions, ', ') as storage,
            (
              select    jsonb_agg(
                          jsonb_build_object(
                            'name', attname,
                            'definition', concat_ws(
                              ' ', format_type(atttypid, atttypmod), case when attnotnull then 'not null' end,
                              case when attidentity = 'a' then 'generated always as identity' end,
                              case
                                when attgenerated = 's' then 'generated always as (' || pg_get_expr(adbin, adrelid) || ') stored'
                                else 'default ' || pg_get_expr(adbin, adrelid)
                              end
                            )
                          )
                          order by attnum
                        )
              from      pg_attribute
              left join pg_attrdef on adrelid = attrelid and adnum = attnum
              where     attrelid = class.oid
              and       attnum > 0
              and       not attisdropped
            ) as columns,
            array(
              select    'constraint ' || conname || ' ' || pg_get_constraintdef(oid)
              from      pg_constraint
              where     conrelid = class.oid
              and       contype in ('p', 'u', 'f', 'c')
              order by  position(contype in 'pufc'), oid
            ) as constraints,
            (
              select    coalesce(jsonb_agg(jsonb_build_object('name', name, 'definition', definition) order by oid), '[]')
              from      (
                          select  indexrelid as oid, indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
                          from    pg_index
                          where   indrelid = class.oid
                          and     not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
                          union all
                          select  oid, tgname,
                                  pg_get_triggerdef(oid)
                                    || case when tgenabled = 'A' then E';\nalter table ' || class.relname || ' enable always trigger ' || tgname else '' end
                          from    pg_trigger
                          where   tgrelid = class.oid
                          and     not tgisinternal
                        ) as part
            ) as parts
  from      pg_class class
  where     class.relnamespace = 'public'::regnamespace
  and       class.relkind = 'r'
  and       class.relname <> 'schema_migrations'
  order by  class.oid
`;

const functionsOf = (sql: Sql) => sql<Column[]>`
  select    proname as name, pg_get_functiondef(oid) as definition
  from      pg_proc
  where     pronamespace = 'public'::regnamespace
  order by  oid
`;

/** Those that belong to no column. */
const sequencesOf = async (sql: Sql): Promise<readonly string[]> => {
  const rows = await sql<{ name: string }[]>`
    select    relname as name
    from      pg_class
    where     relnamespace = 'public'::regnamespace
    and       relkind = 'S'
    and       not exists (select from pg_depend where objid = pg_class.oid and deptype in ('a', 'i'))
    order by  relname
  `;
  return rows.map(({ name }) => `create sequence ${name};`);
};
