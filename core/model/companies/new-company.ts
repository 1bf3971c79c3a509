import { defaultAgentCausedRunLimit } from "../runs/loop-breaker.ts";
import type { Instant } from "../shared/instant.ts";
import { type Company, issuePrefixOf } from "./company.ts";

export type NewCompany = Pick<Company, "id" | "name" | "description" | "budgetMonthlyCents"> & {
  readonly at: Instant;
};

/** Makes a company; the store may give it another prefix if the one of its name is in use. */
export const newCompany = ({ at, ...company }: NewCompany): Company => ({
  ...company,
  status: "active",
  issuePrefix: issuePrefixOf(company.name),
  heldByBudgetAt: null,
  runner: null,
  agentCausedRunLimit: defaultAgentCausedRunLimit,
  createdAt: at,
  updatedAt: at,
});
