import * as Result from "effect/Result";
import { refusal } from "../shared/failure.ts";
import { addMillis, type Instant, monthAfter, monthOf, toInstant } from "../shared/instant.ts";

/** From the first instant, up to the second (exclusive). */
export interface Period {
  readonly from: Instant;
  readonly to: Instant;
}

export class PeriodInvalid extends refusal(
  "period_invalid",
  "invalid",
  "The period must start before it ends and be at most 366 days long.",
) {}

const dayMs = 86_400_000;
const maxMs = 366 * dayMs;

/**
 * Returns the requested period, or the current month (UTC): `from` alone reaches to the end of this month, `to` alone
 * begins with the month it ends in.
 */
export const periodOf = (
  asked: { readonly from?: Instant | undefined; readonly to?: Instant | undefined },
  at: Instant,
): Result.Result<Period, PeriodInvalid> => {
  const to = asked.to ?? monthAfter(at);
  const from = asked.from ?? monthOf(asked.to === undefined ? at : addMillis(asked.to, -1));
  const length = Date.parse(to) - Date.parse(from);
  return length > 0 && length <= maxMs
    ? Result.succeed({ from, to })
    : Result.fail(new PeriodInvalid({ from, to }));
};

/**
 * The period whose figures are exact although events before that time are folded: of a folded day only the whole is known,
 * which counts where the period has its beginning.
 */
export const afterFold = ({ from, to }: Period, foldedBefore: Instant | null): Period => {
  const known = (at: Instant) => (foldedBefore !== null && at < foldedBefore ? midnight(at, Math.ceil) : at);
  return { from: known(from), to: known(to) };
};

const midnight = (at: Instant, round: (days: number) => number): Instant =>
  toInstant(new Date(round(Date.parse(at) / dayMs) * dayMs));

/** The whole days (UTC) of a period, null for none, and the parts of other days in it: none, one or two. */
export const daysOf = ({
  from,
  to,
}: Period): { readonly days: Period | null; readonly ends: readonly Period[] } => {
  const [first, last] = [midnight(from, Math.ceil), midnight(to, Math.floor)];
  if (first >= last) return { days: null, ends: [{ from, to }] };
  const ends = [
    { from, to: first },
    { from: last, to },
  ];
  return { days: { from: first, to: last }, ends: ends.filter((end) => end.from < end.to) };
};

/** Whether it is one calendar month (UTC). */
export const isMonth = ({ from, to }: Period): boolean => from === monthOf(from) && to === monthAfter(from);
