import { type Instant, monthOf } from "../shared/instant.ts";

/** What may be spent in a calendar month (UTC), and since when the hold lies on who has spent it. */
export interface Budget {
  /** 0 means no limit. */
  readonly budgetMonthlyCents: number;
  readonly heldByBudgetAt: Instant | null;
}

/** What was spent in one month. */
export interface MonthSpend {
  /** Exact to a millionth. */
  readonly spentCents: number;
  /** When the last soft alert of the month was given; null while none was. */
  readonly alertedAt: Instant | null;
  /** The budget that it was given for. */
  readonly alertedBudgetCents: number | null;
}

export const noSpend: MonthSpend = { spentCents: 0, alertedAt: null, alertedBudgetCents: null };

/** From how many percent of a budget on the soft alert applies. */
export const softPercent = 80;

/** From how many cents on the soft alert applies; not always a whole number. */
export const softThreshold = (budgetCents: number): number => (budgetCents * softPercent) / 100;

/** Holds set before then hold nothing any more, lifted or not: they end with their month. */
export const budgetHoldsFrom = (at: Instant): Instant => monthOf(at);

/** Whether the hold of a budget still holds. */
export const budgetHolds = (heldAt: Instant | null, at: Instant): boolean =>
  heldAt !== null && heldAt >= budgetHoldsFrom(at);

/** Raising a budget arms its alert again. */
const isAlerted = (budget: Budget, { alertedAt, alertedBudgetCents }: MonthSpend): boolean =>
  alertedAt !== null && (alertedBudgetCents === null || alertedBudgetCents >= budget.budgetMonthlyCents);

export interface BudgetDecision {
  /** Give the soft alert now: once per month and amount of the budget, also where one event goes past both thresholds. */
  readonly alert: boolean;
  readonly hold: "set" | "lift" | null;
}

/** What a budget asks for, given what was spent in the month of `at`. Asked again without a change, it asks for nothing. */
export const decideBudget = (budget: Budget, spend: MonthSpend, at: Instant): BudgetDecision => {
  const limited = budget.budgetMonthlyCents > 0;
  const exhausted = limited && spend.spentCents >= budget.budgetMonthlyCents;
  const held = budgetHolds(budget.heldByBudgetAt, at);
  return {
    alert:
      limited && !isAlerted(budget, spend) && spend.spentCents >= softThreshold(budget.budgetMonthlyCents),
    hold: exhausted && !held ? "set" : !exhausted && budget.heldByBudgetAt !== null ? "lift" : null,
  };
};
