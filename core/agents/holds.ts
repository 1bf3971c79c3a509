import type { CompanyStatus } from "../companies/company.ts";
import { budgetHolds } from "../costs/budget.ts";
import type { Instant } from "../shared/instant.ts";

/** Since when each hold lies on an agent, as it is stored: whether it still holds is `holdsOn`'s to say. */
export interface Holds {
  readonly heldManuallyAt: Instant | null;
  readonly heldByBudgetAt: Instant | null;
  /** Lies on all agents of a company that has used up its own budget. */
  readonly companyHeldByBudgetAt: Instant | null;
}

/** What stops all work of a company; `company`: somebody paused or archived it. */
export type CompanyHold = "company" | "company_budget";

/** What keeps an agent from working: somebody paused it, its own budget is used up, or its company is held. */
export type Hold = "manual" | "budget" | CompanyHold;

/** The holds that lie on a company at a time, the strongest first. */
export const holdsOnCompany = (
  company: { readonly status: CompanyStatus; readonly heldByBudgetAt: Instant | null },
  at: Instant,
): readonly CompanyHold[] => [
  ...(company.status === "active" ? [] : (["company"] as const)),
  ...(budgetHolds(company.heldByBudgetAt, at) ? (["company_budget"] as const) : []),
];

/**
 * The holds that lie on an agent at a time, the strongest first. Every question about holds ends here; the statement that
 * chooses runs asks the same in SQL (`adapters-infra/postgres/holds.ts`), and a test compares the two in all cases.
 */
export const holdsOn = (agent: Holds, companyStatus: CompanyStatus, at: Instant): readonly Hold[] => [
  ...(agent.heldManuallyAt === null ? [] : (["manual"] as const)),
  ...(budgetHolds(agent.heldByBudgetAt, at) ? (["budget"] as const) : []),
  ...holdsOnCompany({ status: companyStatus, heldByBudgetAt: agent.companyHeldByBudgetAt }, at),
];
