import { AgentTerminated } from "../agents/agent.ts";
import { holdMessages } from "../agents/hold-messages.ts";
import type { NotInvokable } from "../agents/not-invokable.ts";
import { BudgetExhausted, CompanyNotActive } from "../companies/company.ts";
import { type RefusalType, refusal } from "../shared/failure.ts";

export class AgentAwaitsApproval extends refusal(
  "agent_pending_approval",
  "conflict",
  "The agent is pending approval. It can't run before it's approved.",
) {}

export class AgentPaused extends refusal(
  "agent_paused",
  "conflict",
  `The agent is paused. It can't run until ${holdMessages.manual.until}.`,
) {}

export class ProjectBudgetExhausted extends refusal(
  "project_budget_exhausted",
  "conflict",
  `The project is over budget. Runs on this issue can't start until ${holdMessages.project_budget.until}.`,
) {}

export class WakeOnDemandDisabled extends refusal(
  "wake_on_demand_disabled",
  "conflict",
  "The agent only runs on its schedule (`runtimeConfig.heartbeat.wakeOnDemand` is false).",
) {}

export class IssueReassigned extends refusal(
  "issue_reassigned",
  "conflict",
  "The issue is now assigned to someone else.",
) {}

export class IssueClosed extends refusal(
  "issue_closed",
  "conflict",
  "The issue is closed. Reopen it to continue.",
) {}

/** Why a wake is refused, skipped or ended by the gate. */
export type WakeObstacle = NotInvokable | "wake_on_demand_disabled" | "issue_reassigned" | "issue_closed";

const classes = {
  agent_terminated: AgentTerminated,
  agent_pending_approval: AgentAwaitsApproval,
  agent_paused: AgentPaused,
  budget_exhausted: BudgetExhausted,
  project_budget_exhausted: ProjectBudgetExhausted,
  company_not_active: CompanyNotActive,
  wake_on_demand_disabled: WakeOnDemandDisabled,
  issue_reassigned: IssueReassigned,
  issue_closed: IssueClosed,
} as const satisfies { readonly [Obstacle in WakeObstacle]: RefusalType };

export type WakeRefusal = InstanceType<(typeof classes)[WakeObstacle]>;

/** All of them, for declarations. */
export const wakeRefusals = Object.values(classes);

/** The refusal of a caller who asks for work that the gate would refuse: its code is the gate's. */
export const refusedWake = (obstacle: WakeObstacle): WakeRefusal =>
  new classes[obstacle]({ reason: obstacle });
