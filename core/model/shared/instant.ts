declare const instant: unique symbol;

/**
 * A point in time as the interface shows it: ISO 8601, UTC, milliseconds. Compares as text. Any text can be given for
 * one; the mark lets a type be asked which of its fields are instants.
 */
export type Instant = string & { readonly [instant]?: true };

/** Whether a type is `Instant`, not any text. */
export type IsInstant<Value> = [Value] extends [string]
  ? typeof instant extends keyof Value
    ? true
    : false
  : false;

export const toInstant = (date: Date): Instant => date.toISOString();

export const addMillis = (at: Instant, millis: number): Instant =>
  new Date(Date.parse(at) + millis).toISOString();

export const addSeconds = (at: Instant, seconds: number): Instant => addMillis(at, seconds * 1000);

export const secondsBetween = (from: Instant, to: Instant): number =>
  (Date.parse(to) - Date.parse(from)) / 1000;

/** The beginning of its day, UTC. */
export const dayOf = (at: Instant): Instant => `${at.slice(0, 10)}T00:00:00.000Z`;

/** The first instant of the UTC calendar month: the begin of a budget window. */
export const monthOf = (at: Instant): Instant => `${at.slice(0, 7)}-01T00:00:00.000Z`;

/** The first instant of the next UTC calendar month: the end of the budget window. */
export const monthAfter = (at: Instant): Instant => {
  const month = new Date(monthOf(at));
  month.setUTCMonth(month.getUTCMonth() + 1);
  return month.toISOString();
};
