import postgres, { type Fragment, type ParameterOrFragment, type Sql } from "postgres";

/** Columns of a table, each of which stores the field of its name in camel case: `company_id` that of `companyId`. */
export interface Columns<Name extends string> {
  /** Their names, for a `select`. */
  (sql: Sql): Fragment;
  /** `(names) values (…)`, for an `insert`. */
  values(sql: Sql, record: Stored<Name>): Fragment;
  /** `name = value` for each, for an `update`. */
  assign(sql: Sql, record: Stored<Name>): Fragment;
}

type Stored<Name extends string> = { readonly [Column in Name as CamelCase<Column>]: unknown };

/** The columns that the text names, as in `id, company_id, payload jsonb`. */
export const columnsOf = <const Text extends string>(text: Text): Columns<NamesIn<Text>> => {
  const columns = text.split(",").map((column) => {
    const [name = "", type] = column.trim().split(" ");
    return { name, field: postgres.toCamel(name), isJson: type === "jsonb" };
  });
  const names = columns.map(({ name }) => name).join(", ");
  const between = columns.slice(1);
  const inserted = template([`(${names}) values (`, ...between.map(() => ", "), ")"]);
  const assigned = template([`${columns[0]!.name} = `, ...between.map(({ name }) => `, ${name} = `), ""]);
  const valuesOf = (sql: Sql, record: Readonly<Record<string, unknown>>) =>
    columns.map(({ field, isJson }) => (isJson ? sql.json(record[field] as never) : record[field]) as Value);
  // A fragment of text belongs to no connection.
  let selected: Fragment | null = null;
  return Object.assign(
    (sql: Sql) => {
      selected ??= sql.unsafe(names);
      return selected;
    },
    {
      values: (sql: Sql, record: Readonly<Record<string, unknown>>) =>
        sql(inserted, ...valuesOf(sql, record)),
      assign: (sql: Sql, record: Readonly<Record<string, unknown>>) =>
        sql(assigned, ...valuesOf(sql, record)),
    },
  );
};

/** The constant parts of a statement, as the client takes them from a template literal. */
const template = (strings: readonly string[]): TemplateStringsArray =>
  Object.assign([...strings], { raw: strings });

type Value = ParameterOrFragment<never>;

type NamesIn<Text extends string> = Text extends `${infer First},${infer Rest}`
  ? NameOf<Trimmed<First>> | NamesIn<Rest>
  : NameOf<Trimmed<Text>>;

type NameOf<Column extends string> = Column extends `${infer Name} jsonb` ? Name : Column;

type Trimmed<Text extends string> = Text extends `${Space}${infer Rest}` | `${infer Rest}${Space}`
  ? Trimmed<Rest>
  : Text;

type Space = " " | "\n";

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;
