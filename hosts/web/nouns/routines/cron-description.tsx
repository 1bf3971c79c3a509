import { toString as describe } from "cronstrue";

/** Says a cron expression in English; nothing for one that is none. */
export const CronDescription = ({ expression }: { readonly expression: string }) => {
  const description = describeCron(expression);
  return description === null ? null : <span className="muted">{description}</span>;
};

const describeCron = (expression: string): string | null => {
  try {
    if (expression.trim() === "") return null;
    const description = describe(expression, { use24HourTimeFormat: true });
    const rule = daysRule(expression);
    return rule === null ? description : `${description} (${rule})`;
  } catch {
    return null;
  }
};

/** How the two day fields count together, which other programs judge differently; null where at most one restricts. */
const daysRule = (expression: string): string | null => {
  const [, , day = "*", , weekday = "*"] = expression.trim().split(/ +/);
  if (day === "*" || weekday === "*") return null;
  return day.startsWith("*") || weekday.startsWith("*")
    ? "on days that match both day fields"
    : "on days that match either day field";
};
