import { actions, type Need } from "../access/actions.ts";
import type { BudgetScope } from "../activity/activity-entry.ts";

/** The callers that may change the budget of an agent, a project or a company. The inbox shows its alerts to the people among them. */
export const needToRaise = {
  agent: actions.company.setBudgets,
  project: actions.project.setBudget,
  company: actions.company.update,
} as const satisfies Readonly<Record<BudgetScope, Need>>;
