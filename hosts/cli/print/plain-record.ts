import { harmless } from "../terminal.ts";
import { type Paper, type Row, status } from "./cells.ts";
import { ago, displayWidth, money } from "./format.ts";
import { labelOf } from "./label-of.ts";
import type { Column } from "./printers.ts";
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
      if (value.length > 0) entries.push([labelOf(key), { text: listedBriefly(value.map(named)) }]);
    } else if (typeof value === "object") {
      const { body } = value as { body?: unknown };
      if (typeof body === "string") {
        below += section(key, indented(body), paper);
        continue;
      }
      const text = "id" in value ? named(value) : JSON.stringify(value, null, 2);
      if (text !== "{}") entries.push([labelOf(key), { text }]);
    } else entries.push([labelOf(key), cellOf(key, value, paper)]);
  }
  const head =
    headline.text === "" ? "" : `${paper.colors.bold(harmless(headline.text).replaceAll("\n", " "))}\n`;
  return `${head}${pairs(entries, paper)}${below}`;
};

const headlineOf = (row: Row): { key: string; text: string } => {
  if (typeof row.identifier === "string" && typeof row.title === "string")
    return { key: "title", text: `${row.identifier}  ${row.title}` };
  for (const key of ["title", "name"]) {
    const text = row[key];
    if (typeof text === "string") return { key, text };
  }
  return { key: "", text: "" };
};

const cellOf = (key: string, value: unknown, paper: Paper): Cell => {
  if (key === "status") return status(String(value), paper);
  if (key.endsWith("Cents") && typeof value === "number")
    return { text: key === "budgetMonthlyCents" && value === 0 ? "no limit" : money(value) };
  if (typeof value === "boolean") return { text: value ? "yes" : "no" };
  if (typeof value !== "string") return { text: String(value) };
  if (/(?:At|Since)$/.test(key)) return { text: `${ago(value, paper.now())}  (${value})` };
  const name = key === "id" ? undefined : paper.names.get(value);
  return { text: name === undefined ? value : `${name}  (${value})` };
};

/** Prints a list in one line if that is short, else one item per line. */
const listedBriefly = (items: readonly string[]): string => {
  const line = items.join(", ");
  return displayWidth(line) <= 60 ? line : items.join("\n");
};

const named = (item: unknown): string => {
  if (typeof item !== "object" || item === null) return String(item);
  const {
    identifier,
    name,
    title,
    key,
    status: state,
    role,
    companyId,
  } = item as Record<string, string | undefined>;
  if (companyId !== undefined && role !== undefined) return `${role} of ${companyId}`;
  if (identifier !== undefined)
    return `${identifier} ${title ?? ""}${state === undefined ? "" : ` (${state})`}`;
  if (name !== undefined && role !== undefined) return `${name} (${role})`;
  return name ?? title ?? key ?? JSON.stringify(item);
};

/** Gives the columns of a shape without a printer: its short fields, the id last. */
export const anyColumns = (row: Row): readonly Column<never>[] =>
  Object.keys(row)
    .filter(
      (key) =>
        !unshown.has(key) && !longTexts.has(key) && (row[key] === null || typeof row[key] !== "object"),
    )
    .sort((a, b) => Number(a === "id") - Number(b === "id"))
    .slice(0, 8)
    .map((key) => ({
      title: labelOf(key).toUpperCase(),
      show: (each: Row, paper: Paper) => {
        const value = each[key];
        if (value === null || value === undefined) return "–";
        if (/(?:At|Since)$/.test(key)) return ago(String(value), paper.now());
        return cellOf(key, value, paper);
      },
      ...(["name", "title", "label"].includes(key) ? { grows: true as const } : {}),
    })) as readonly Column<never>[];
