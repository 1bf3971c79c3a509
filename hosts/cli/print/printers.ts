import type { z } from "zod";
import type { ShapeName, Shapes } from "../nouns/shapes.ts";
import type { Paper, Row } from "./cells.ts";
import { cellOf, growthOf, namingFieldOf } from "./field-cell.ts";
import { labelOf } from "./label-of.ts";
import { type Cell, type Heading, table } from "./table.ts";

/** A column of a list with rows of one type. */
export interface Column<R> extends Heading {
  readonly show: (row: R, paper: Paper) => string | Cell;
}

/** The fields of a row that a column can show. */
type FieldOf<R> = {
  [K in keyof R & string]: R[K] extends string | number | boolean | null | undefined | readonly string[]
    ? K
    : never;
}[keyof R & string];

/** A column of a field: heading, text and width come from the field unless they are given. */
interface FieldColumn<R> extends Partial<Heading> {
  /** Of several fields, the first with a value is shown. */
  readonly field: FieldOf<R> | readonly [FieldOf<R>, ...FieldOf<R>[]];
  /** Set if the column names the row, where no field's name says so. */
  readonly strong?: true;
}

/** A column as it is declared: a field, a field with a heading or a width of its own, or a text made of several. */
export type DeclaredColumn<R> = FieldOf<R> | FieldColumn<R> | Column<R>;

/** Prints answers of one shape: a list as columns or as a text, a single record as a text. */
export interface Printer {
  readonly shape: ShapeName;
  readonly columns?: readonly Column<never>[];
  readonly list?: (rows: never, paper: Paper) => string;
  readonly record?: (record: never, paper: Paper) => string;
}

/** Makes columns of what is declared; the one that names the row is bold. */
export const columnsOf = <R>(...declared: readonly DeclaredColumn<R>[]): readonly Column<R>[] => {
  const all = declared.map((one): FieldColumn<R> | Column<R> =>
    typeof one === "string" ? { field: one } : one,
  );
  const namingField = all.some((one) => "strong" in one)
    ? undefined
    : namingFieldOf(all.flatMap((one) => ("field" in one ? one.field : [])));
  return all.map((one) => ("show" in one ? one : columnOf(one, namingField)));
};

const columnOf = <R>(
  { field, strong, ...heading }: FieldColumn<R>,
  namingField: string | undefined,
): Column<R> => {
  const fields: readonly string[] = typeof field === "string" ? [field] : field;
  const first = fields[0]!;
  const isStrong = strong ?? first === namingField;
  return {
    title: labelOf(first).toUpperCase(),
    grows: growthOf(first),
    ...heading,
    show: (row, paper) => {
      const values = row as Row;
      const shown = fields.find((one) => values[one] !== null && values[one] !== undefined) ?? first;
      const cell = cellOf(shown, values[shown], paper);
      return isStrong ? { text: cell.text, paint: paper.colors.bold } : cell;
    },
  };
};

/** Prints rows as a table. */
export const rowsTable = <R>(columns: readonly Column<R>[], rows: readonly R[], paper: Paper): string =>
  table(
    columns,
    rows.map((row) =>
      columns.map(({ show }) => {
        const shown = show(row, paper);
        return typeof shown === "string" ? { text: shown } : shown;
      }),
    ),
    paper,
  );

/** Prints a list of that shape as a table. */
export const columns = <S extends ShapeName>(
  shape: S,
  ...declared: DeclaredColumn<z.output<Shapes[S]>>[]
): Printer => ({ shape, columns: columnsOf(...declared) as readonly Column<never>[] });

/** Prints a list of that shape as a text. */
export const list = <S extends ShapeName>(
  shape: S,
  print: (rows: readonly z.output<Shapes[S]>[], paper: Paper) => string,
): Printer => ({ shape, list: print as NonNullable<Printer["list"]> });

/** Prints one record of that shape as a text. */
export const record = <S extends ShapeName>(
  shape: S,
  print: (record: z.output<Shapes[S]>, paper: Paper) => string,
): Printer => ({ shape, record: print as NonNullable<Printer["record"]> });

/** The column of the author, for lists of what agents and people write. */
export const authorColumn = {
  field: ["createdByAgentId", "createdByUserId"],
  title: "BY",
  goes: 1,
} as const;
