import type { EndpointCommand } from "../endpoints/endpoint-command.ts";
import { printers } from "../nouns/index.ts";
import type { ShapeName } from "../nouns/shapes.ts";
import { harmless } from "../terminal.ts";
import type { Paper, Row } from "./cells.ts";
import { isPersonField } from "./field-cell.ts";
import { anyColumns, plainRecord } from "./plain-record.ts";
import { type Printer, rowsTable } from "./printers.ts";

const printerOf = new Map<ShapeName, Printer>();
for (const printer of printers) printerOf.set(printer.shape, { ...printerOf.get(printer.shape), ...printer });

/** Prints an answer for people, with the printer of its shape. */
export const print = (
  { isList, shape }: Pick<EndpointCommand, "isList" | "shape">,
  answer: unknown,
  paper: Paper,
): string => {
  const printer = shape === null ? undefined : printerOf.get(shape);
  if (isList) return printList(printer, answer as readonly Row[], paper);
  const own = printer?.record;
  if (own !== undefined) return own(answer as never, paper);
  if (typeof answer !== "object" || answer === null) return `${harmless(String(answer))}\n`;
  const { ok, ...rest } = answer as Row;
  return ok === true && Object.keys(rest).length === 0 ? "Done.\n" : plainRecord(answer as Row, paper);
};

const printList = (printer: Printer | undefined, rows: readonly Row[], paper: Paper): string => {
  if (rows.length === 0) return "";
  const own = printer?.list;
  if (own !== undefined) return own(rows as never, paper);
  return rowsTable(printer?.columns ?? anyColumns(rows[0] ?? {}), rows as never, paper);
};

/** Collects the ids in an answer that the CLI shows as names. */
export const idsToName = (
  answer: unknown,
): { readonly companyId: string | null; readonly wanted: boolean } => {
  const [first] = Array.isArray(answer) ? answer : [answer];
  if (typeof first !== "object" || first === null) return { companyId: null, wanted: false };
  const rows = (Array.isArray(answer) ? answer : [answer]) as Row[];
  const wanted = rows.some((row) =>
    Object.entries(row).some(([key, value]) => typeof value === "string" && isPersonField(key)),
  );
  const { companyId } = first as { companyId?: unknown };
  return { companyId: typeof companyId === "string" ? companyId : null, wanted };
};
