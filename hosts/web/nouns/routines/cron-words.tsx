import { toString as inWords } from "cronstrue";

/** Says a cron expression in English; nothing for one that is none. */
export const CronWords = ({ expression }: { readonly expression: string }) => {
  const words = wordsOf(expression);
  return words === null ? null : <span className="muted">{words}</span>;
};

const wordsOf = (expression: string): string | null => {
  try {
    if (expression.trim() === "") return null;
    const words = inWords(expression, { use24HourTimeFormat: true });
    const rule = daysRule(expression);
    return rule === null ? words : `${words} (${rule})`;
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
