import type { z } from "zod";
import type { ShapeName, Shapes } from "../nouns/shapes.ts";
import { type Paper, someone } from "./cells.ts";
import type { Cell, Heading } from "./table.ts";

/** A column of a list with rows of one shape. */
export interface Column<R> extends Heading {
  readonly show: (row: R, paper: Paper) => string | Cell;
}

/** Prints answers of one shape: a list as columns or as a text, a single record as a text. */
export interface Printer {
  readonly shape: ShapeName;
  readonly columns?: readonly Column<never>[];
  readonly list?: (rows: never, paper: Paper) => string;
  readonly record?: (record: never, paper: Paper) => string;
}

/** Prints a list of that shape as a table. */
export const columns = <S extends ShapeName>(shape: S, ...all: Column<z.output<Shapes[S]>>[]): Printer => ({
  shape,
  columns: all as readonly Column<never>[],
});

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

/** The column of ids, for lists whose ids people type in the next command. */
export const idColumn: Column<{ readonly id: string }> = { title: "ID", show: ({ id }) => id };

export const authorColumn: Column<{
  readonly createdByAgentId: string | null;
  readonly createdByUserId: string | null;
}> = {
  title: "BY",
  show: ({ createdByAgentId, createdByUserId }, paper) => someone(createdByAgentId ?? createdByUserId, paper),
  grows: 8,
  goes: 1,
};
