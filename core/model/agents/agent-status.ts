import type { CompanyStatus } from "../companies/company.ts";
import type { Instant } from "../shared/instant.ts";
import type { Moves } from "../shared/moves.ts";
import { type Hold, type Holds, holdsOn } from "./holds.ts";

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

/** Whether the agent is hired, drafted or terminated; holds and runs are separate. */
export type LifecycleState = "active" | "pending_approval" | "terminated";

export type PauseReason = "manual" | "budget" | "company";

const shownAs: Readonly<Record<Hold, PauseReason>> = {
  manual: "manual",
  budget: "budget",
  company: "company",
  company_budget: "company",
};

/** The strongest hold on an agent. Lifting one leaves the others. */
export const pauseReason = (agent: Holds, company: CompanyStatus, at: Instant): PauseReason | null => {
  const [hold] = holdsOn(agent, company, at);
  return hold === undefined ? null : shownAs[hold];
};

/**
 * The shown status is derived, never stored: an agent is `running` exactly while one of its runs is running, so the two
 * cannot disagree.
 */
export const agentStatus = (
  agent: Holds & { readonly lifecycleState: LifecycleState; readonly errorReason: string | null },
  company: CompanyStatus,
  hasRunningRun: boolean,
  at: Instant,
): AgentStatus =>
  agent.lifecycleState !== "active"
    ? agent.lifecycleState
    : holdsOn(agent, company, at).length > 0
      ? "paused"
      : hasRunningRun
        ? "running"
        : agent.errorReason !== null
          ? "error"
          : "idle";
