import type { Row } from "./cells.ts";
import { isPersonField } from "./field-cell.ts";

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
