import type { Actor } from "../access/caller.ts";
import type { Agent } from "../agents/agent.ts";
import { isWokenByTimerOnly } from "../agents/agent-config.ts";
import type { Holds } from "../agents/holds.ts";
import { type NotInvokable, notInvokable } from "../agents/not-invokable.ts";
import type { CompanyStatus } from "../companies/company.ts";
import type { AgentId, CompanyId, IssueId, RunId, WakeId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { WakeOrigin } from "./loop-breaker.ts";
import { type WakeReason, wakeReasons } from "./wake-reason.ts";

export const wakeStatuses = ["pending", "started", "coalesced", "skipped", "cancelled"] as const;
export type WakeStatus = (typeof wakeStatuses)[number];

/** The statuses of wakes that a run has started with or absorbed. */
export const consumedStatuses = ["started", "coalesced"] as const satisfies readonly WakeStatus[];

/**
 * A request that an agent run, made in the transaction of its cause. It ends in exactly one way: it started a run, was
 * coalesced into one that started after it, or was skipped or cancelled with a reason.
 */
export interface Wake {
  readonly id: WakeId;
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly issueId: IssueId | null;
  readonly reason: WakeReason;
  readonly payload: WakePayload;
  readonly by: Actor;
  readonly status: WakeStatus;
  readonly endReason: string | null;
  /** The run it waits for or that it started; null while a live run must end first. */
  readonly runId: RunId | null;
  readonly createdAt: Instant;
}

export interface WakePayload {
  readonly commentId?: string;
  readonly message?: string;
  /** Of a person to a run. */
  readonly messageId?: string;
  readonly retryOfRunId?: string;
  /** The wake reason of the retried run. */
  readonly retryOfReason?: WakeReason;
  /** Other issues that the retried run had checked out and left in progress: the retry continues them too. */
  readonly claimedIssueIds?: readonly IssueId[] | undefined;
  /** Whether its process was lost before; stops of the service do not reset this. */
  readonly lostBefore?: boolean;
  /** Wakes the author of an interaction of an issue without an assignee. */
  readonly asAuthor?: boolean;
  /** The message of a manual invocation. */
  readonly [more: string]: unknown;
}

export interface WakeRequest extends WakeOrigin {
  readonly id: WakeId;
  /** Creates the run where none waits for this agent and issue. */
  readonly runId: RunId;
  readonly agent: Pick<
    Agent,
    "id" | "companyId" | "lifecycleState" | keyof Holds | "runtimeConfig" | "adapterType"
  >;
  readonly company: CompanyStatus;
  readonly issueId: IssueId | null;
  readonly reason: WakeReason;
  readonly payload?: WakePayload;
  /** When its cause can no longer be undone: a run that it creates starts no earlier. */
  readonly notBefore?: Instant | null;
  /** The span of the work that wakes the agent, as W3C Trace Context writes it; null where it is not traced. */
  readonly traceparent: string | null;
}

/** Returns why a wake has no purpose now, or null; the gate checks it again before the start. */
export const skipReason = (
  facts: {
    readonly agent: Pick<Agent, "lifecycleState" | keyof Holds | "runtimeConfig">;
    readonly company: CompanyStatus;
    readonly projectHeldByBudgetAt?: Instant | null;
    readonly at: Instant;
  },
  reason: WakeReason,
): NotInvokable | "wake_on_demand_disabled" | null => {
  const refusal = notInvokable(facts.agent, facts.company, facts.at, facts.projectHeldByBudgetAt);
  if (refusal !== null) return refusal;
  return wakeReasons[reason].source !== "timer" && isWokenByTimerOnly(facts.agent.runtimeConfig)
    ? "wake_on_demand_disabled"
    : null;
};
