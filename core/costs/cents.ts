/**
 * Money is counted in cents, exactly to a millionth of one: a run may cost less than a cent, and a token of the cheapest
 * model about a millionth. People and programs are told whole cents, rounded down once, from the sum.
 */
const parts = 1_000_000;

/** More than a run can cost; whatever says so is not believed. */
const maxDollars = 10_000_000_000;

/** null where no amount is said, or none that can be one. */
export const centsOf = (dollars: number | undefined): number | null =>
  dollars === undefined || !(dollars >= 0 && dollars <= maxDollars)
    ? null
    : Math.round(dollars * 100 * parts) / parts;

/** The exact difference of two amounts; what floating point adds to it is taken off. */
export const centsBetween = (before: number, after: number): number =>
  Math.round((after - before) * parts) / parts;

/** As it is shown. Whether a budget of whole cents is used up does not depend on what this takes off. */
export const wholeCents = (cents: number): number => Math.floor(cents);
