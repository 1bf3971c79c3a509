import { z } from "zod";
import type { Endpoint } from "../../api/endpoint/endpoint.ts";
import { printers } from "../nouns/index.ts";
import { harmless } from "../terminal.ts";
import type { Paper, Row } from "./cells.ts";
import { anyColumns, plainRecord } from "./plain-record.ts";
import type { Printer } from "./printers.ts";
import { table } from "./table.ts";

const printerOf = new Map<z.ZodType, Printer>();
for (const printer of printers) printerOf.set(printer.shape, { ...printerOf.get(printer.shape), ...printer });

/** Gives the shape of a list's rows; null if the answer is not a list. */
const rowShape = (shape: z.ZodType): z.ZodType | null => {
  if (shape instanceof z.ZodReadonly) return rowShape(shape.unwrap() as z.ZodType);
  return shape instanceof z.ZodArray ? (shape.element as z.ZodType) : null;
};

/** Prints an answer for people, with the printer of its shape. */
export const print = ({ returns }: Pick<Endpoint, "returns">, answer: unknown, paper: Paper): string => {
  const row = rowShape(returns);
  if (row !== null) return printList(row, answer as readonly Row[], paper);
  const own = printerOf.get(returns)?.record;
  if (own !== undefined) return own(answer as never, paper);
  if (typeof answer !== "object" || answer === null) return `${harmless(String(answer))}\n`;
  const { ok, ...rest } = answer as Row;
  return ok === true && Object.keys(rest).length === 0 ? "Done.\n" : plainRecord(answer as Row, paper);
};

const printList = (shape: z.ZodType, rows: readonly Row[], paper: Paper): string => {
  if (rows.length === 0) return "";
  const own = printerOf.get(shape)?.list;
  if (own !== undefined) return own(rows as never, paper);
  const known = printerOf.get(shape)?.columns ?? anyColumns(rows[0] ?? {});
  return table(
    known,
    rows.map((row) =>
      known.map((column) => {
        const shown = column.show(row as never, paper);
        return typeof shown === "string" ? { text: shown } : shown;
      }),
    ),
    paper,
  );
};
