import type { CompanyStatus } from "../companies/company.ts";
import type { Instant } from "../shared/instant.ts";
import type { LifecycleState } from "./agent-status.ts";
import { type HoldRefusal, type Holds, holdRules, holdsOnWork } from "./holds.ts";

/** Why an agent may not be started. */
export type NotInvokable = "agent_terminated" | "agent_pending_approval" | HoldRefusal;

/**
 * Returns why an agent may not be started, or null; for an issue, with the hold on the project. The gate and
 * every verb that wakes agents or begins their work use it.
 */
export const notInvokable = (
  agent: Holds & { readonly lifecycleState: LifecycleState },
  company: CompanyStatus,
  at: Instant,
  projectHeldByBudgetAt: Instant | null = null,
): NotInvokable | null => {
  if (agent.lifecycleState === "terminated") return "agent_terminated";
  if (agent.lifecycleState === "pending_approval") return "agent_pending_approval";
  const [hold] = holdsOnWork(agent, company, projectHeldByBudgetAt, at);
  return hold === undefined ? null : holdRules[hold].refusedAs;
};
