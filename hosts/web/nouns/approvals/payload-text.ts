import { humanizeKey } from "../../widgets/humanize-key.ts";
import { locale } from "../../widgets/locale.ts";
import { moneyText } from "../../widgets/money.tsx";
import { useAdapterName } from "../agents/adapter-name.ts";
import { useNames } from "../names.ts";

/** Labels of the fields whose names say too little. */
const labels: Readonly<Record<string, string>> = {
  capabilities: "Capabilities",
  budgetMonthlyCents: "Monthly budget",
  adapterType: "Adapter",
  reportsTo: "Manager",
  subject: "About",
  candidateOwners: "Candidates",
  class: "Class of decision",
};

export const labelOf = (key: string): string => labels[key] ?? humanizeKey(key.replace(/Cents$/, ""));

/** The order of reading: the matter, the plan, its cost, its risks; then the rest. */
const order: readonly RegExp[] = [
  /^(summary|abstract|subject|capabilities)$/i,
  /^(role|title)$/i,
  /^reportsTo$/,
  /^adapterType$/,
  /plan|steps|proposal|approach|strategy/i,
  /cost|budget|price|spend/i,
  /risk/i,
];

export const rankOf = (key: string): number => {
  const at = order.findIndex((each) => each.test(key));
  return at === -1 ? order.length : at;
};

/** A value of a payload as text, ids of people and agents as names. */
export const usePayloadText = (): ((key: string, value: unknown) => string) => {
  const nameOf = useNames();
  const adapterName = useAdapterName();
  const textOf = (key: string, value: unknown): string => {
    if (key === "reportsTo")
      return value == null ? "No one (reports to the board)" : nameOf(String(value)).name;
    if (value === null || value === undefined) return "";
    if (key === "adapterType") return adapterName(String(value));
    if (/cents$/i.test(key) && typeof value === "number")
      return key === "budgetMonthlyCents" && value === 0 ? "No limit" : moneyText(value);
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value === "number") return value.toLocaleString(locale);
    if (Array.isArray(value)) return value.map((each) => textOf("", each)).join(", ");
    return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
  };
  return textOf;
};
