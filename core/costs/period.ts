import * as Result from "effect/Result";
import { refusal } from "../shared/failure.ts";
import { addMillis, type Instant, monthAfter, monthOf } from "../shared/instant.ts";

/** From the first instant, up to the second (exclusive). */
export interface Period {
  readonly from: Instant;
  readonly to: Instant;
}

export class PeriodInvalid extends refusal(
  "period_invalid",
  "invalid",
  "A period begins before it ends, and is at most 366 days long.",
) {}

const maxMs = 366 * 86_400_000;

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
