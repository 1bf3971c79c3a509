/** A point in time as the interface shows it: ISO 8601, UTC, milliseconds. Compares as text. */
export type Instant = string;

export const toInstant = (date: Date): Instant => date.toISOString();

export const addMillis = (at: Instant, millis: number): Instant =>
  new Date(Date.parse(at) + millis).toISOString();

export const addSeconds = (at: Instant, seconds: number): Instant => addMillis(at, seconds * 1000);

export const secondsBetween = (from: Instant, to: Instant): number =>
  (Date.parse(to) - Date.parse(from)) / 1000;

/** First instant of the UTC calendar month: where a budget window begins. */
export const monthOf = (at: Instant): Instant => `${at.slice(0, 7)}-01T00:00:00.000Z`;

/** First instant of the UTC calendar month after: where the budget window ends. */
export const monthAfter = (at: Instant): Instant => {
  const month = new Date(monthOf(at));
  month.setUTCMonth(month.getUTCMonth() + 1);
  return month.toISOString();
};
