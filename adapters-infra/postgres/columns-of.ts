import postgres, { type Fragment, type ParameterOrFragment, type Sql } from "postgres";

/** Columns of a table, each of which stores the field of its name in camel case: `company_id` that of `companyId`. */
export interface Columns<Field extends string> {
  /** Their names, for a `select`; of the table under an alias, where a statement reads several. */
  (sql: Sql, alias?: string): Fragment;
  /** The same under the names of the fields, for JSON that goes out as PostgreSQL builds it. */
  asFields(sql: Sql, alias: string): Fragment;
  /** `(names) values (…)`, for an `insert`. */
  values(sql: Sql, record: Stored<Field>): Fragment;
  /** `name = value` for each, for an `update`. */
  assign(sql: Sql, record: Stored<Field>): Fragment;
  /** The others, such as those that change after an insert. */
  without<const Text extends string>(
    names: Text & (FieldsIn<Text> extends Field ? unknown : never),
  ): Columns<Exclude<Field, FieldsIn<Text>>>;
}

type Stored<Field extends string> = { readonly [Name in Field]: unknown };

interface Column {
  readonly name: string;
  readonly field: string;
  /** ` as …`, where a `select` renames it. */
  readonly alias: string;
  readonly isJson: boolean;
}

/** The columns that the text names, as in `id, payload jsonb, is_admin as admin`. */
export const columnsOf = <const Text extends string>(text: Text): Columns<FieldsIn<Text>> =>
  columns(parsed(text));

const parsed = (text: string): readonly Column[] =>
  text.split(",").map((column) => {
    const [name = "", type, alias] = column.trim().split(" ");
    const field = postgres.toCamel(alias ?? name);
    return { name, field, alias: type === "as" ? ` as ${alias}` : "", isJson: type === "jsonb" };
  });

const columns = <Field extends string>(all: readonly Column[]): Columns<Field> => {
  const between = all.slice(1);
  const inserted = template([
    `(${all.map(({ name }) => name).join(", ")}) values (`,
    ...between.map(() => ", "),
    ")",
  ]);
  const assigned = template([`${all[0]!.name} = `, ...between.map(({ name }) => `, ${name} = `), ""]);
  const valuesOf = (sql: Sql, record: Readonly<Record<string, unknown>>) =>
    all.map(({ field, isJson }) => (isJson ? sql.json(record[field] as never) : record[field]) as Value);
  const selected = fragments(all, ({ name, alias }) => name + alias);
  const asFields = fragments(all, ({ name, field }) => `${name} as "${field}"`);
  return Object.assign((sql: Sql, alias = "") => selected(sql, alias), {
    asFields: (sql: Sql, alias: string) => asFields(sql, alias),
    values: (sql: Sql, record: Readonly<Record<string, unknown>>) => sql(inserted, ...valuesOf(sql, record)),
    assign: (sql: Sql, record: Readonly<Record<string, unknown>>) => sql(assigned, ...valuesOf(sql, record)),
    without: (names: string) => {
      const left = parsed(names).map(({ field }) => field);
      return columns<never>(all.filter(({ field }) => !left.includes(field)));
    },
  }) as Columns<Field>;
};

/** Writes the text for each alias once: a fragment of text belongs to no connection. */
const fragments = (all: readonly Column[], textOf: (column: Column) => string) => {
  const written = new Map<string, Fragment>();
  return (sql: Sql, alias: string): Fragment => {
    let fragment = written.get(alias);
    if (fragment === undefined) {
      const of = alias === "" ? "" : `${alias}.`;
      fragment = sql.unsafe(all.map((column) => of + textOf(column)).join(", "));
      written.set(alias, fragment);
    }
    return fragment;
  };
};

/** The constant parts of a statement, as the client takes them from a template literal. */
const template = (strings: readonly string[]): TemplateStringsArray =>
  Object.assign([...strings], { raw: strings });

type Value = ParameterOrFragment<never>;

type FieldsIn<Text extends string> = Text extends `${infer First},${infer Rest}`
  ? FieldOf<Trimmed<First>> | FieldsIn<Rest>
  : FieldOf<Trimmed<Text>>;

type FieldOf<Column extends string> = CamelCase<
  Column extends `${infer Name} jsonb` ? Name : Column extends `${string} as ${infer Alias}` ? Alias : Column
>;

type Trimmed<Text extends string> = Text extends `${Space}${infer Rest}` | `${infer Rest}${Space}`
  ? Trimmed<Rest>
  : Text;

type Space = " " | "\n";

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;
