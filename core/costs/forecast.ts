import { addMillis, type Instant, monthAfter, monthOf } from "../shared/instant.ts";

/** Where the month is heading at the pace so far. */
export interface Forecast {
  /** Spent by the end of the month. */
  readonly projectedCents: number;
  /** When the budget will be used up at this pace; null where it will not be in this month, or there is none. */
  readonly exhaustedAt: Instant | null;
  /** How much of what was used has no known cost, in percent of all tokens: the projection knows nothing of it. */
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

/** Percent with two decimals; 0 of nothing. */
export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

/** The pace counts at least one day as gone: an hour into the month says little about its end. */
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
