import { type Instant, monthOf } from "../shared/instant.ts";

/** The limit for a calendar month (UTC), and since when a hold applies because it is used up. */
export interface Budget {
  /** 0 means no limit. */
  readonly budgetMonthlyCents: number;
  readonly heldByBudgetAt: Instant | null;
}

/** The spend of one month. */
export interface MonthSpend {
  /** Exact to a millionth. */
  readonly spentCents: number;
  /** When the month's last soft alert was sent; null for none. */
  readonly alertedAt: Instant | null;
  /** The budget at that alert. */
  readonly alertedBudgetCents: number | null;
}

export const noSpend: MonthSpend = { spentCents: 0, alertedAt: null, alertedBudgetCents: null };

/** The percentage of a budget at which the soft alert applies. */
export const softPercent = 80;

/** How the used percentage of a budget is shown: beyond its alert, or used up. */
export const budgetLevel = (percent: number): "within" | "alert" | "used_up" =>
  percent >= 100 ? "used_up" : percent >= softPercent ? "alert" : "within";

/** The cents at which the soft alert applies; may be fractional. */
export const softThreshold = (budgetCents: number): number => (budgetCents * softPercent) / 100;

/** Holds that were set before this instant no longer apply, even if nobody lifted them: they end with their month. */
export const budgetHoldsFrom = (at: Instant): Instant => monthOf(at);

/** Whether a budget hold still applies. */
export const budgetHolds = (heldAt: Instant | null, at: Instant): boolean =>
  heldAt !== null && heldAt >= budgetHoldsFrom(at);

/** Raising a budget arms its alert again. */
const isAlerted = (budget: Budget, { alertedAt, alertedBudgetCents }: MonthSpend): boolean =>
  alertedAt !== null && (alertedBudgetCents === null || alertedBudgetCents >= budget.budgetMonthlyCents);

export interface BudgetDecision {
  /** Send the soft alert now: once per month and budget amount, also where one event passes both thresholds. */
  readonly alert: boolean;
  readonly hold: "set" | "lift" | null;
}

/** Decides what a budget requires, given the spend in the month of `at`. Asked again without a change, it requires nothing. */
export const decideBudget = (budget: Budget, spend: MonthSpend, at: Instant): BudgetDecision => {
  const limited = budget.budgetMonthlyCents > 0;
  const exhausted = limited && spend.spentCents >= budget.budgetMonthlyCents;
  const isHeld = budgetHolds(budget.heldByBudgetAt, at);
  return {
    alert:
      limited && !isAlerted(budget, spend) && spend.spentCents >= softThreshold(budget.budgetMonthlyCents),
    hold: exhausted && !isHeld ? "set" : !exhausted && budget.heldByBudgetAt !== null ? "lift" : null,
  };
};
