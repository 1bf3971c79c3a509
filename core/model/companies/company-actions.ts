import { callerMayOf } from "../access/caller-may.ts";
import { budgetHolds } from "../costs/budget.ts";
import type { Instant } from "../shared/instant.ts";
import { BudgetExhausted, type Company } from "./company.ts";

/** The facts on which the actions on the company depend. */
export interface CompanyFacts extends Pick<Company, "status" | "heldByBudgetAt"> {
  readonly at: Instant;
}

/** Returns why the company is not resumed, or null: resuming it does not raise its budget. */
export const refusalOfResume = ({ status, heldByBudgetAt, at }: CompanyFacts): BudgetExhausted | null =>
  status === "active" && budgetHolds(heldByBudgetAt, at) ? new BudgetExhausted() : null;

/** The actions that a reader may take in a company. */
export const companyActions = callerMayOf<"company", CompanyFacts>("company", {
  update: null,
  pause: null,
  resume: refusalOfResume,
  archive: null,
  setBudgets: null,
  manageMembers: null,
  manageGrants: null,
  createIssue: null,
  updateIssues: null,
  createAgent: null,
  requestHire: null,
  requestApproval: null,
  createProject: null,
  writeGoals: null,
  archiveGoals: null,
  createLabel: null,
  deleteLabels: null,
  createRoutine: null,
  manageSecrets: null,
  manageMcpServers: null,
  manageEventSubscriptions: null,
  reportCost: null,
  testEnvironment: null,
  applyTemplate: null,
});
