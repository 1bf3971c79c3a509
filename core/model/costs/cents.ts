/**
 * Money is counted in cents, exactly to a millionth of one: a run may cost less than a cent, and a token of the
 * cheapest model about a millionth. People and programs get whole cents, rounded down once, from the sum.
 */
const parts = 1_000_000;

/** The maximum cost of one run; a larger report is ignored. */
const maxDollars = 10_000_000_000;

/** Returns null for a missing or invalid amount. */
export const centsOf = (dollars: number | undefined): number | null =>
  dollars === undefined || !(dollars >= 0 && dollars <= maxDollars)
    ? null
    : Math.round(dollars * 100 * parts) / parts;

/** Returns the difference of two amounts without floating-point error. */
export const centsBetween = (before: number, after: number): number =>
  Math.round((after - before) * parts) / parts;

/** Returns the sum of two amounts without floating-point error. */
export const sumOfCents = (one: number, other: number): number => centsBetween(-one, other);

/** Rounds down for display. Whether a budget of whole cents is used up does not depend on this. */
export const wholeCents = (cents: number): number => Math.floor(cents);
