import { addMillis, type Instant, monthAfter, monthOf } from "../shared/instant.ts";

/** The projection for the month at the pace so far. */
export interface Forecast {
  /** The projected spend at the end of the month. */
  readonly projectedCents: number;
  /** When the budget will be used up at this pace; null where not in this month, or without a budget. */
  readonly exhaustedAt: Instant | null;
  /** The percentage of tokens without a known cost; the projection leaves them out. */
  readonly unknownSharePercent: number;
}

export interface ForecastFacts {
  readonly spendCents: number;
  readonly budgetCents: number;
  readonly tokens: number;
  readonly tokensOfUnknownCost: number;
  readonly at: Instant;
}

const dayMs = 86_400_000;

/** A percentage with two decimals; 0 where the total is 0. */
export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

/** The elapsed time counts as at least one day: the first hours of a month predict little. */
export const forecast = (facts: ForecastFacts): Forecast => {
  const { spendCents, budgetCents, at } = facts;
  const from = Date.parse(monthOf(at));
  const end = Date.parse(monthAfter(at));
  const now = Date.parse(at);
  const perMs = spendCents / Math.max(now - from, dayMs);
  const missing = budgetCents - spendCents;
  const untilExhausted = missing <= 0 ? 0 : perMs === 0 ? Infinity : missing / perMs;
  return {
    projectedCents: Math.round(spendCents + perMs * (end - now)),
    exhaustedAt:
      budgetCents > 0 && now + untilExhausted < end ? addMillis(at, Math.floor(untilExhausted)) : null,
    unknownSharePercent: percent(facts.tokensOfUnknownCost, facts.tokens),
  };
};
