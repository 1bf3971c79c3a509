import { toString as inWords } from "cronstrue";

/** Says a cron expression in English; nothing for one that is none. */
export const CronWords = ({ expression }: { readonly expression: string }) => {
  const words = wordsOf(expression);
  return words === null ? null : <span className="muted">{words}</span>;
};

const wordsOf = (expression: string): string | null => {
  try {
    return expression.trim() === "" ? null : inWords(expression, { use24HourTimeFormat: true });
  } catch {
    return null;
  }
};
