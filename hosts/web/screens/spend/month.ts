import { locale } from "../../parts/locale.ts";

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

/** From the beginning of a month to that of the next. */
export const periodOf = (month: string): { readonly from: string; readonly to: string } => ({
  from: `${month}-01`,
  to: `${monthAfter(month, 1)}-01`,
});
