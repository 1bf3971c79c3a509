import type { Agent } from "../agents/agent.ts";
import { defaultMaxConcurrentRuns } from "../agents/agent-config.ts";
import type { Holds } from "../agents/holds.ts";
import { notInvokable } from "../agents/not-invokable.ts";
import type { CompanyStatus } from "../companies/company.ts";
import type { Issue } from "../issues/issue.ts";
import { isClosed } from "../issues/issue-status.ts";
import type { AgentId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type LoopKind, loopOf, type RecentRuns } from "./loop-breaker.ts";
import { causeOf, type Run } from "./run.ts";
import { wakeReasons } from "./wake-reason.ts";
import type { WakeObstacle } from "./wake-refusal.ts";

/** The limits of concurrent runs. */
export interface Caps {
  readonly instance: number;
  readonly company: number;
  readonly adapterType: number;
}

/** Other running runs. */
export interface Running {
  readonly instance: number;
  readonly company: number;
  readonly adapterType: number;
  readonly agent: number;
}

export interface GateFacts {
  readonly company: CompanyStatus;
  readonly agent: Pick<Agent, "id" | "lifecycleState" | keyof Holds | "runtimeConfig">;
  readonly at: Instant;
  /** The run's issue as it is now; null where the run has none. */
  readonly issue: Pick<Issue, "status" | "assigneeAgentId"> | null;
  /** Since when the budget of the issue's project is used up. */
  readonly projectHeldByBudgetAt: Instant | null;
  /** When the change that caused the run can no longer be undone. */
  readonly notBefore: Instant | null;
  readonly running: Running;
  /** The time before which the provider allows no run of the adapter and account; in the future, or null. */
  readonly accountHeldUntil: Instant | null;
  readonly recent: RecentRuns;
  /** 0: none. */
  readonly agentCausedRunLimit: number;
  /** The agent's workspace is on a volume of other services that is not abandoned. */
  readonly isElsewhere: boolean;
  /** A run of another agent on the issue is being stopped: its programs may still write. */
  readonly isBeingStopped: boolean;
  /** The database was restored from a backup, and its agents are not released. */
  readonly isHeldAsRestored: boolean;
}

export type GateVerdict =
  | { readonly go: true }
  /** The run stays queued for now. */
  | { readonly go: false; readonly wait: string }
  /** The run stays queued in quarantine until a person acts on the issue or the agent. */
  | { readonly go: false; readonly hold: LoopKind }
  /** The run is cancelled with the reason, and so are those of its wakes that would be refused alone. */
  | { readonly go: false; readonly refuse: WakeObstacle };

/** Whether the reason concerns the agent only as the assignee of an open issue, and not as the author of an interaction. */
export const isForAssignee = (run: Pick<Run, "wakeReason" | "context">): boolean =>
  wakeReasons[causeOf(run)].aboutOwnIssue && run.context.asAuthor !== true;

/** Returns why a run for that reason no longer has a purpose on its issue, or null. */
export const notConcerned = (
  run: Pick<Run, "wakeReason" | "context">,
  agentId: AgentId,
  issue: Pick<Issue, "status" | "assigneeAgentId">,
): "issue_reassigned" | "issue_closed" | null => {
  if (!isForAssignee(run)) return null;
  if (issue.assigneeAgentId !== agentId) return "issue_reassigned";
  return isClosed(issue.status) ? "issue_closed" : null;
};

/**
 * The only function that lets a process start. It runs in the transaction that claims the run, where all its facts are
 * locked or counted, so that no wake bypasses it.
 */
export const gate = (run: Pick<Run, "wakeReason" | "context">, facts: GateFacts, caps: Caps): GateVerdict => {
  const refusal = notInvokable(facts.agent, facts.company, facts.at, facts.projectHeldByBudgetAt);
  if (refusal !== null) return { go: false, refuse: refusal };
  const past = facts.issue === null ? null : notConcerned(run, facts.agent.id, facts.issue);
  if (past !== null) return { go: false, refuse: past };
  if (facts.isHeldAsRestored) return { go: false, wait: "restored" };
  const loop = loopOf(causeOf(run), facts.recent, facts.agentCausedRunLimit);
  if (loop !== null) return { go: false, hold: loop };
  if (facts.isBeingStopped && facts.issue?.assigneeAgentId === facts.agent.id)
    return { go: false, wait: "former_assignee" };
  if (facts.notBefore !== null && facts.notBefore > facts.at) return { go: false, wait: "undo" };
  if (facts.isElsewhere) return { go: false, wait: "host" };
  if (facts.accountHeldUntil !== null) return { go: false, wait: "provider_quota" };
  const agentCap = facts.agent.runtimeConfig.heartbeat?.maxConcurrentRuns ?? defaultMaxConcurrentRuns;
  if (facts.running.agent >= agentCap) return { go: false, wait: "agent_cap" };
  if (facts.running.adapterType >= caps.adapterType) return { go: false, wait: "adapter_cap" };
  if (facts.running.company >= caps.company) return { go: false, wait: "company_cap" };
  if (facts.running.instance >= caps.instance) return { go: false, wait: "instance_cap" };
  return { go: true };
};
