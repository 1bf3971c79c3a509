import type { CompanyStatus } from "../companies/company.ts";
import { budgetHolds } from "../costs/budget.ts";
import type { Instant } from "../shared/instant.ts";
import type { Moves } from "../shared/moves.ts";

export const agentStatuses = [
  "idle",
  "running",
  "error",
  "paused",
  "pending_approval",
  "terminated",
] as const;
export type AgentStatus = (typeof agentStatuses)[number];

export const agentMoves = {
  pending_approval: {
    idle: "hire approved",
    paused: "hire approved while the company is paused",
    terminated: "hire rejected, or terminate",
  },
  idle: { running: "a run starts", paused: "pause, budget or company", terminated: "terminate" },
  running: {
    idle: "its last run ends well",
    error: "its last run fails",
    paused: "pause, budget or company",
    terminated: "terminate",
  },
  error: {
    running: "a run starts",
    paused: "pause, budget or company",
    idle: "resume",
    terminated: "terminate",
  },
  paused: {
    idle: "the last hold is lifted",
    running: "the last hold is lifted before its run has ended",
    error: "budget or company hold lifted, its last run had failed",
    terminated: "terminate",
  },
  terminated: {},
} satisfies Moves<AgentStatus>;

/** Whether the agent exists for work at all; holds and runs come on top. */
export type Standing = "active" | "pending_approval" | "terminated";

/** What keeps an agent from working, each kept apart from the others. */
export interface Holds {
  readonly heldManuallyAt: Instant | null;
  readonly heldByBudgetAt: Instant | null;
  /** Lies on all agents of a company that has used up its own budget. */
  readonly companyHeldByBudgetAt: Instant | null;
}

/** The holds that lie on an agent at a time: those of a budget end with their month, lifted or not. */
export const holdsNow = (agent: Holds, at: Instant): Holds => ({
  heldManuallyAt: agent.heldManuallyAt,
  heldByBudgetAt: budgetHolds(agent.heldByBudgetAt, at) ? agent.heldByBudgetAt : null,
  companyHeldByBudgetAt: budgetHolds(agent.companyHeldByBudgetAt, at) ? agent.companyHeldByBudgetAt : null,
});

export type PauseReason = "manual" | "budget" | "company";

/** The strongest of the holds that lie on an agent. Lifting one leaves the others. */
export const pauseReason = (agent: Holds, company: CompanyStatus): PauseReason | null =>
  agent.heldManuallyAt !== null
    ? "manual"
    : agent.heldByBudgetAt !== null
      ? "budget"
      : company !== "active" || agent.companyHeldByBudgetAt !== null
        ? "company"
        : null;

/**
 * The status people see is worked out, never stored: an agent is `running` exactly while a run of it is, so the two
 * cannot disagree.
 */
export const agentStatus = (
  agent: Holds & { readonly standing: Standing; readonly errorReason: string | null },
  company: CompanyStatus,
  hasRunningRun: boolean,
): AgentStatus =>
  agent.standing !== "active"
    ? agent.standing
    : pauseReason(agent, company) !== null
      ? "paused"
      : hasRunningRun
        ? "running"
        : agent.errorReason !== null
          ? "error"
          : "idle";
