import { locale } from "../../widgets/locale.ts";

/** A calendar month in UTC, as budgets count: "2026-11". */
export const monthNow = (): string => new Date().toISOString().slice(0, 7);

export const monthAfter = (month: string, step: number): string => {
  const at = new Date(`${month}-01T00:00:00Z`);
  at.setUTCMonth(at.getUTCMonth() + step);
  return at.toISOString().slice(0, 7);
};

const name = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });

export const monthName = (month: string): string => name.format(new Date(`${month}-01T00:00:00Z`));

/** The month that an address names; the present one where it names none that has been. */
export const shownMonth = (params: URLSearchParams): string => {
  const asked = params.get("month") ?? "";
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(asked) && asked <= monthNow() ? asked : monthNow();
};

const dayMs = 86_400_000;

/** The month before, up to the same day while the month lasts, and how it is named. */
export const periodBefore = (
  month: string,
): { readonly from: string; readonly to: string; readonly name: string } => {
  const before = monthAfter(month, -1);
  const whole = { ...periodOf(before), name: monthName(before) };
  if (month !== monthNow()) return whole;
  const lastDay = `${before}-${new Date().toISOString().slice(8, 10)}`;
  if (!isDay(lastDay) || !lastDay.startsWith(before) || dayAfter(lastDay) >= whole.to) return whole;
  return {
    from: whole.from,
    to: dayAfter(lastDay),
    name: days.formatRange(dayOf(whole.from), dayOf(lastDay)),
  };
};

const days = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", timeZone: "UTC" });
const dayOf = (day: string): Date => new Date(`${day}T00:00:00Z`);

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));

export const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10);

/** As long as the service adds up at once. */
const maxDays = 366;

/** The days that an address names, both included, or null: `?from=2026-11-01&to=2026-11-14`. */
export const shownRange = (
  params: URLSearchParams,
): { readonly first: string; readonly last: string } | null => {
  const [first, last] = [params.get("from") ?? "", params.get("to") ?? ""];
  if (!isDay(first) || !isDay(last)) return null;
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  return days >= 1 && days <= maxDays ? { first, last } : null;
};

/** From the beginning of a month to that of the next. */
export const periodOf = (month: string): { readonly from: string; readonly to: string } => ({
  from: `${month}-01`,
  to: `${monthAfter(month, 1)}-01`,
});
