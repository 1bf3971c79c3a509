import type { CompanyStatus } from "../companies/company.ts";
import { budgetHolds } from "../costs/budget.ts";
import type { Instant } from "../shared/instant.ts";

/** The stored start of each hold on an agent. `holdsOn` decides whether a hold still applies. */
export interface Holds {
  readonly heldManuallyAt: Instant | null;
  readonly heldByBudgetAt: Instant | null;
  /** Applies to all agents of a company that has used up its own budget. */
  readonly companyHeldByBudgetAt: Instant | null;
}

/** A hold on all work of a company; `company`: the company is paused or archived. */
export type CompanyHold = "company" | "company_budget";

/** A hold on an agent's work: the agent is paused, its budget is used up, or its company is on hold. */
export type Hold = "manual" | "budget" | CompanyHold;

/** A hold on an agent's work on an issue: one on the agent, or the used up budget of the project. */
export type WorkHold = Hold | "project_budget";

/** Any hold: one on work, or the hold on all agents of a database that was restored from a backup. */
export type AnyHold = WorkHold | "restored";

interface HoldRule {
  /** The code with which new work is refused, skipped or ended by the gate; null: it waits in the queue. */
  readonly refusedAs: string | null;
  /** The reason with which existing runs and wakes end when the hold is set. */
  readonly endsAs: readonly string[];
}

/** All holds with what depends on them, the strongest first. The only list of holds; `holdMessages` has their sentences. */
export const holdRules = {
  manual: {
    refusedAs: "agent_paused",
    endsAs: ["agent_paused"],
  },
  budget: {
    refusedAs: "budget_exhausted",
    endsAs: ["budget_exhausted"],
  },
  company: {
    refusedAs: "company_not_active",
    endsAs: ["company_paused", "company_archived"],
  },
  company_budget: {
    refusedAs: "budget_exhausted",
    endsAs: ["budget_exhausted"],
  },
  project_budget: {
    refusedAs: "project_budget_exhausted",
    endsAs: ["project_budget_exhausted"],
  },
  restored: {
    refusedAs: null,
    endsAs: [],
  },
} as const satisfies Readonly<Record<AnyHold, HoldRule>>;

type HoldRules = (typeof holdRules)[AnyHold];

/** Why a hold refuses work. */
export type HoldRefusal = NonNullable<HoldRules["refusedAs"]>;

/** Why a hold ended a run. */
export type HoldEnd = HoldRules["endsAs"][number];

const rules: readonly HoldRules[] = Object.values(holdRules);

/** The reasons for which holds end runs. */
export const runEndsOfHolds: readonly HoldEnd[] = [...new Set(rules.flatMap(({ endsAs }) => endsAs))];

/** The reasons for which holds end wakes, pending or at once. */
export const wakeEndsOfHolds: readonly (HoldEnd | HoldRefusal)[] = [
  ...new Set(
    rules.flatMap(({ endsAs, refusedAs }) => (refusedAs === null ? endsAs : [...endsAs, refusedAs])),
  ),
];

/** Returns the holds on a company at a time, the strongest first. */
export const holdsOnCompany = (
  company: { readonly status: CompanyStatus; readonly heldByBudgetAt: Instant | null },
  at: Instant,
): readonly CompanyHold[] => [
  ...(company.status === "active" ? [] : (["company"] as const)),
  ...(budgetHolds(company.heldByBudgetAt, at) ? (["company_budget"] as const) : []),
];

/** Returns the holds on an agent at a time, the strongest first. */
export const holdsOn = (agent: Holds, companyStatus: CompanyStatus, at: Instant): readonly Hold[] => [
  ...(agent.heldManuallyAt === null ? [] : (["manual"] as const)),
  ...(budgetHolds(agent.heldByBudgetAt, at) ? (["budget"] as const) : []),
  ...holdsOnCompany({ status: companyStatus, heldByBudgetAt: agent.companyHeldByBudgetAt }, at),
];

/**
 * Returns the holds on an agent's work on an issue at a time, the strongest first; the project is the issue's. Every
 * decision about holds uses these functions; the statement that chooses runs repeats this one in SQL
 * (`adapters-infra/postgres/holds.ts`), and a test compares the two in all cases.
 */
export const holdsOnWork = (
  agent: Holds,
  companyStatus: CompanyStatus,
  projectHeldByBudgetAt: Instant | null,
  at: Instant,
): readonly WorkHold[] => [
  ...holdsOn(agent, companyStatus, at),
  ...(budgetHolds(projectHeldByBudgetAt, at) ? (["project_budget"] as const) : []),
];
