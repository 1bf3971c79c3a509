import { harmless } from "../terminal.ts";
import { type Paper, type Row, shortId } from "./cells.ts";
import { cellOf, nameOf, namingFieldOf } from "./field-cell.ts";
import { displayWidth } from "./format.ts";
import { labelOf } from "./label-of.ts";
import { type Column, columnsOf } from "./printers.ts";
import { indented, section } from "./sections.ts";
import { type Cell, pairs } from "./table.ts";

/** Fields that are left out: the headline or another field shows the same, or programs read them. */
const unshown = new Set(["started_at", "completed_at", "companyId", "identifier", "callerMay"]);

const longTexts = new Set(["description", "body", "capabilities"]);

/** Prints any record: a headline, its fields in two columns, its long texts below. It leaves out empty fields. */
export const plainRecord = (row: Row, paper: Paper, headline = headlineOf(row)): string => {
  const entries: [string, Cell][] = [];
  let below = "";
  for (const [key, value] of Object.entries(row)) {
    if (unshown.has(key) || value === null || value === undefined || key === headline.key) continue;
    if (longTexts.has(key) && typeof value === "string") {
      if (value.trim() !== "") below += section(key, indented(value), paper);
    } else if (Array.isArray(value)) {
      if (value.length > 0) entries.push([labelOf(key), { text: listedBriefly(value.map(nameOf)) }]);
    } else if (typeof value === "object") {
      const { body } = value as { body?: unknown };
      if (typeof body === "string") {
        below += section(key, indented(body), paper);
        continue;
      }
      const text = "id" in value ? nameOf(value) : JSON.stringify(value, null, 2);
      if (text !== "{}") entries.push([labelOf(key), { text }]);
    } else entries.push([labelOf(key), withValue(cellOf(key, value, paper), value)]);
  }
  const head =
    headline.text === "" ? "" : `${paper.colors.bold(harmless(headline.text).replaceAll("\n", " "))}\n`;
  return `${head}${pairs(entries, paper)}${below}`;
};

const headlineOf = (row: Row): { key: string; text: string } => {
  if (typeof row.identifier === "string" && typeof row.title === "string")
    return { key: "title", text: `${row.identifier}  ${row.title}` };
  const key = namingFieldOf(Object.keys(row).filter((field) => typeof row[field] === "string"));
  return key === undefined ? { key: "", text: "" } : { key, text: String(row[key]) };
};

/** Adds the value itself where the cell shows it in another form: `3m ago  (2026-11-21T11:50:21Z)`. */
const withValue = (cell: Cell, value: unknown): Cell => {
  if (typeof value !== "string" || cell.text === value) return cell;
  return { ...cell, text: cell.text === shortId(value) ? value : `${cell.text}  (${value})` };
};

/** Prints a list in one line if that is short, else one item per line. */
const listedBriefly = (items: readonly string[]): string => {
  const line = items.join(", ");
  return displayWidth(line) <= 60 ? line : items.join("\n");
};

/** Gives the columns of a shape without a printer: its short fields, the id last. */
export const anyColumns = (row: Row): readonly Column<never>[] =>
  columnsOf<Readonly<Record<string, string>>>(
    ...Object.keys(row)
      .filter(
        (key) =>
          !unshown.has(key) && !longTexts.has(key) && (row[key] === null || typeof row[key] !== "object"),
      )
      .sort((a, b) => Number(a === "id") - Number(b === "id"))
      .slice(0, 8),
  );
