import { type Paper, someone, status } from "./cells.ts";
import { ago, money } from "./format.ts";
import type { Cell, Heading } from "./table.ts";

/** Tells whether a field has the id of an agent or a person, which people read as a name. */
export const isPersonField = (field: string): boolean =>
  /(?:AgentId|UserId|^agentId|^actorId|^consumerId|^reportsTo)$/.test(field);

const isTimeField = (field: string): boolean => /(?:At|Since|Until)$/.test(field);

/** Fields whose values come from a fixed set; some of the values have a colour. */
const colouredFields = new Set(["status", "doneAs", "state", "outcome", "level", "priority"]);

/** Shows the value of a field by what the field is; tables and records share this rule. */
export const cellOf = (field: string, value: unknown, paper: Paper): Cell => {
  if (value === null || value === undefined) return { text: "–" };
  if (Array.isArray(value)) return { text: value.map(nameOf).join(", ") || "–" };
  if (typeof value === "boolean") return { text: value ? "yes" : "no" };
  if (typeof value === "number") return { text: numberOf(field, value) };
  if (typeof value !== "string") return { text: nameOf(value) };
  if (colouredFields.has(field)) return status(value, paper);
  if (isTimeField(field)) return { text: ago(value, paper.now()) };
  return { text: isPersonField(field) ? someone(value, paper) : value };
};

const numberOf = (field: string, value: number): string => {
  if (field === "budgetMonthlyCents" && value === 0) return "no limit";
  if (/Cents$/.test(field)) return money(value);
  if (/Count$/.test(field)) return value.toLocaleString("en-US");
  return /Sec$/.test(field) ? `${value} s` : String(value);
};

/** Names an item of a list or a thing inside a record in one line. */
export const nameOf = (item: unknown): string => {
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

/** The fields that name a thing, the best first. */
const namingFields = ["identifier", "name", "displayName", "title", "key"];

/** Gives the field among these that names the thing. */
export const namingFieldOf = (fields: readonly string[]): string | undefined =>
  namingFields.find((field) => fields.includes(field));

const proseFields = new Set([
  "name",
  "displayName",
  "title",
  "label",
  "error",
  "message",
  "problem",
  "reason",
  "excerpt",
]);

/** Gives how far a narrow terminal may cut the column of a field. */
export const growthOf = (field: string): Heading["grows"] =>
  proseFields.has(field) ? true : isPersonField(field) ? 8 : undefined;
